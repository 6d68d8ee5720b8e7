import { BackOff } from '@visitor-counter/service/back-off';
import { pause } from '@visitor-counter/service/pause';
import { connect } from './connect.ts';
import { Session, type SessionParts } from './session.ts';

/** Delivers the journal to the server until it is closed, over one connection after the other. */
export class Uplink {
  readonly #parts: SessionParts;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #session: Session | undefined;
  #failure: string | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#ended = this.#run();
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  /** Why the last connection, or the last attempt, ended; undefined before that. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * Sends a heartbeat now; resolves with whether the server has acknowledged it. Every connection begins with a heartbeat.
   */
  async report(): Promise<boolean> {
    return (await this.#session?.report()) ?? false;
  }

  /**
   * Sends a message once. Resolves with whether the server has acknowledged it: `false` when there is no connection, or it
   * ended before.
   */
  async send(channel: 'crossings' | 'diagnosis', payload: string): Promise<boolean> {
    return (await this.#session?.send(channel, payload)) ?? false;
  }

  /** Tries for a bounded time to deliver pending crossings, if there is a connection, publishes `offline`, and ends. */
  async close(): Promise<void> {
    const { drainWithin } = this.#parts.settings;
    const session = this.#session;
    if (session) {
      await within(drainWithin, this.#drained(), session.over);
      this.#stopping.abort();
      await within(drainWithin, session.leave(), session.over);
      session.abandon();
    }
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { settings, log } = this.#parts;
    const { signal } = this.#stopping;
    const backOff = new BackOff(settings.backOff);
    while (!signal.aborted) {
      const began = performance.now();
      const reason = await this.#connection();
      if (signal.aborted) return;
      this.#failure = reason.message;
      if (performance.now() - began >= settings.healthyAfter) backOff.reset();
      const retryIn = backOff.next();
      log.warn({ code: reason.code, reason: reason.message, retryIn }, 'not connected to the server');
      await pause(retryIn, signal);
    }
  }

  /** One connection from its beginning to its end; resolves with the reason for the end. */
  async #connection(): Promise<Error & { code?: unknown }> {
    const { account, settings, log } = this.#parts;
    try {
      const client = await connect(account, settings, this.#stopping.signal);
      log.info({ server: account.server }, 'connected to the server');
      const session = new Session(client, this.#parts);
      /* `close` does not end a session that begins after it was called. */
      if (this.#stopping.signal.aborted) session.abandon();
      this.#session = session;
      const reason = await session.over;
      client.on('error', () => {});
      client.end(true);
      return reason;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#session = undefined;
    }
  }

  /** Resolves when all crossings are acknowledged, or the uplink stops. */
  async #drained(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && this.#parts.journal.pending > 0) await pause(20, signal);
  }
}

/** Resolves when one of the promises resolves, or after `ms`. */
async function within(ms: number, ...works: Promise<unknown>[]): Promise<void> {
  const enough = new AbortController();
  await Promise.race([...works, pause(ms, enough.signal)]);
  enough.abort();
}
