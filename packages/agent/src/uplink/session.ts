import type { Logger } from '@visitor-counter/service/logger';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeTime } from '@visitor-counter/wire/gateway-messages';
import { encodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { type Channel, topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { Journal } from '../journal/journal.ts';
import type { Batch } from '../journal/store.ts';
import { ConnectionLost, type GatewayHandlers, subscribe } from './connect.ts';
import { RoundTrips, Watchdog } from './expected-answers.ts';
import { isCertificateValidAt } from './server-socket.ts';
import type { Account, UplinkSettings } from './uplink-settings.ts';

export interface SessionParts {
  readonly account: Account;
  readonly journal: Journal;
  readonly settings: UplinkSettings;
  readonly heartbeat: () => Heartbeat;
  /** Called with the gateway's time (epoch ms) when it answers a heartbeat that was sent `waited` ms ago. */
  readonly onTime: (at: number, waited: number) => void;
  /** The handlers of other messages from the gateway. */
  readonly handlers: GatewayHandlers;
  readonly log: Logger;
}

/** The pause before a journal that cannot be read is read again (ms). */
const rereadAfter = 5_000;

/**
 * One accepted connection: sends heartbeats, and delivers the journal from the oldest unacknowledged crossing on, with one
 * message in flight.
 *
 * Invariant: crossings are acknowledged only by an error-free PUBACK of this connection. The first error ends the session;
 * the next one starts again from the journal, so that the message in flight is sent twice rather than not at all.
 */
export class Session {
  readonly #client: MqttClient;
  readonly #parts: SessionParts;
  readonly #watchdog: Watchdog;
  #heartbeats: NodeJS.Timeout | undefined;
  /** The round trips of heartbeats, which the gateway answers with its time. */
  readonly #roundTrips = new RoundTrips();
  readonly #over = Promise.withResolvers<Error>();
  /** Aborts when nothing more may be sent, and before `over` is resolved. */
  readonly #ending = new AbortController();
  #started = false;
  #isInFlight = false;
  #rereading: NodeJS.Timeout | undefined;

  constructor(client: MqttClient, parts: SessionParts) {
    const { journal, settings } = parts;
    this.#client = client;
    this.#parts = parts;
    client.on('close', () => this.abandon('the connection was closed'));
    client.on('error', (error) => this.#end(new ConnectionLost(error.message, { cause: error })));
    this.#watchdog = new Watchdog(settings.answerWithin, () =>
      this.abandon(`no answer for ${settings.answerWithin} ms`),
    );
    const deliver = () => this.#deliver();
    const onLost = () => {
      /* The gateway must know the lost sequences before an acknowledgement covers them. */
      void this.report();
      deliver();
    };
    journal.changes.on('durable', deliver).on('lost', onLost);
    this.#ending.signal.addEventListener('abort', () => {
      journal.changes.off('durable', deliver).off('lost', onLost);
      clearInterval(this.#heartbeats);
      this.#watchdog.stop();
      clearTimeout(this.#rereading);
    });
    if (client.connected) this.#begin();
    else this.abandon('the connection was closed');
  }

  /** Resolves with the reason when the session has ended. */
  get over(): Promise<Error> {
    return this.#over.promise;
  }

  /** Sends a heartbeat now; resolves with whether it was acknowledged on this connection. */
  async report(): Promise<boolean> {
    if (!this.#started || this.#ending.signal.aborted) return false;
    return this.#isAcknowledged(this.#sendHeartbeat());
  }

  /** Sends a message once; resolves with whether it was acknowledged on this connection. */
  send(channel: Channel, payload: string): Promise<boolean> {
    if (this.#ending.signal.aborted) return Promise.resolve(false);
    return this.#isAcknowledged(this.#publish(channel, payload));
  }

  /** Publishes `offline`, as the last will otherwise would later, and closes the connection. */
  async leave(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    await Promise.race([this.#publish('status', 'offline', true), this.over]);
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    await new Promise<void>((resolve) => this.#client.end(false, {}, () => resolve()));
  }

  /** Closes the connection without publishing anything. */
  abandon(reason = 'given up'): void {
    this.#end(new ConnectionLost(reason));
  }

  #end(reason: Error): void {
    this.#ending.abort();
    this.#over.resolve(reason);
  }

  /**
   * Subscribes first, to receive the answer to the first heartbeat. Crossings are delivered even if the broker refuses the
   * subscriptions.
   */
  #begin(): void {
    const { account, handlers } = this.#parts;
    const time = (payload: Uint8Array) => this.#onTime(payload);
    const answered = this.#watchdog.expectAnswer();
    subscribe(this.#client, account.serial, { ...handlers, time }).then(
      () => {
        if (this.#ending.signal.aborted) return;
        answered();
        this.#start();
      },
      (error: unknown) => this.#end(new ConnectionLost('subscription failed', { cause: error })),
    );
  }

  #start(): void {
    this.#started = true;
    void this.#publish('status', 'online', true);
    void this.#sendHeartbeat();
    const { heartbeatEvery } = this.#parts.settings;
    this.#heartbeats = setInterval(() => void this.#sendHeartbeat(), heartbeatEvery);
    this.#deliver();
  }

  /** Sends the next crossings. The gateway sends a PUBACK only after they are committed, so it frees them. */
  #deliver(): void {
    if (!this.#started || this.#ending.signal.aborted || this.#isInFlight) return;
    const batch = this.#nextBatch();
    /* A repair of the journal while it is read continues the delivery as well. */
    if (!batch || this.#isInFlight) return;
    this.#isInFlight = true;
    const { journal, crossings } = batch;
    const message = encodeCrossings({ journal, first: crossings[0]?.sequence ?? 0, crossings });
    void this.#publish('crossings', message).then(() => {
      this.#isInFlight = false;
      this.#parts.journal.acknowledge(batch);
      this.#deliver();
    });
  }

  #nextBatch(): Batch | undefined {
    const { journal, settings, log } = this.#parts;
    clearTimeout(this.#rereading);
    try {
      return journal.next(settings.crossingsPerMessage);
    } catch (error) {
      log.error({ err: error }, 'journal unreadable; retrying');
      this.#rereading = setTimeout(() => this.#deliver(), rereadAfter).unref();
      return undefined;
    }
  }

  #onTime(payload: Uint8Array): void {
    const time = decodeTime(payload);
    if ('malformed' in time) return;
    const waited = this.#roundTrips.answerReceived();
    if (waited === undefined) return;
    if (isCertificateValidAt(this.#client.stream, time.at)) this.#parts.onTime(time.at, waited);
    else this.abandon('the certificate of the server is not valid at the time that the server reports');
  }

  #sendHeartbeat(): Promise<void> {
    this.#roundTrips.requestSent();
    return this.#publish('heartbeat', encodeHeartbeat(this.#parts.heartbeat()));
  }

  /** Resolves when the message is acknowledged, and never if the session ends before. */
  #publish(channel: Channel, payload: string, retain = false): Promise<void> {
    const answered = this.#watchdog.expectAnswer();
    const to = topic(this.#parts.account.serial, channel);
    return new Promise((resolve) => {
      this.#client.publish(to, payload, { qos: 1, retain }, (error) => {
        if (this.#ending.signal.aborted) return;
        if (error) return this.#end(new ConnectionLost(error.message, { cause: error }));
        answered();
        resolve();
      });
    });
  }

  /** Not `Promise.race` with `over`, which would keep every message in memory until the connection ends. */
  #isAcknowledged(published: Promise<void>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { signal } = this.#ending;
    const onEnd = () => resolve(false);
    signal.addEventListener('abort', onEnd);
    void published.then(() => {
      signal.removeEventListener('abort', onEnd);
      resolve(true);
    });
    return promise;
  }
}
