import { BackOff } from '@visitor-counter/service/back-off';
import { reasonOf } from '@visitor-counter/service/errors';
import { pause } from '@visitor-counter/service/pause';
import type { MqttClient } from 'mqtt';
import { type BrokerSessionOptions, runSession, type SessionEnd, takenOverReason } from './broker-session.ts';
import { loadBrokerTls } from './external-config.ts';

/** Shown to the operator when the broker repeatedly ends a connection soon after accepting it. */
export const repeatedlyClosedReason =
  'the broker ends connections soon after it accepts them: another gateway may be using this MQTT_CLIENT_ID';

/** A connection to the broker that reconnects until it is closed. */
export class BrokerConnection {
  readonly #options: BrokerSessionOptions;
  readonly #stopping = new AbortController();
  readonly #backOff = new BackOff({ first: 200, longest: 10_000 });
  readonly #short = new ShortConnections();
  readonly #running: Promise<void>;
  #client: MqttClient | undefined;
  #failure: string | undefined;

  constructor(options: BrokerSessionOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Connected, with all its subscriptions. */
  get isUp(): boolean {
    return this.#client?.connected ?? false;
  }

  /** Why the last attempt or connection has ended; undefined while it is connected, and before the first end. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The broker repeatedly closes it soon after accepting it. */
  get isRepeatedlyClosed(): boolean {
    return this.#short.areSeveral(performance.now());
  }

  /** Resolves when the broker has the message; rejects when that is unknown. */
  async publish(topic: string, payload: string, qos: 0 | 1): Promise<void> {
    const client = this.#client;
    if (!client?.connected) throw new Error('not connected to the broker');
    await client.publishAsync(topic, payload, { qos });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clientId, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { reason, byBroker } = await this.#connect().catch(connectError);
      this.#short.ended(performance.now(), byBroker);
      this.#client = undefined;
      this.#failure = reason;
      if (signal.aborted) return;
      const retryIn = this.#backOff.next();
      const facts = { clientId, reason: this.#explained(reason), pause: retryIn };
      log.write('warn', facts, 'not connected to the broker');
      await pause(retryIn, signal);
    }
  }

  /** One connection, until it ends. */
  async #connect(): Promise<SessionEnd> {
    const { signal } = this.#stopping;
    const files = await loadBrokerTls(this.#options.config.tls);
    if (signal.aborted) return { reason: 'stopped', byBroker: false };
    const events = {
      onAccepted: () => this.#short.accepted(performance.now()),
      onSubscribed: (client: MqttClient) => {
        this.#client = client;
        this.#failure = undefined;
        this.#backOff.reset();
      },
    };
    return runSession(this.#options, files, events, signal);
  }

  #explained(reason: string): string {
    return this.isRepeatedlyClosed && reason !== takenOverReason
      ? `${reason}; ${repeatedlyClosedReason}`
      : reason;
  }
}

function connectError(error: unknown): SessionEnd {
  return { reason: reasonOf(error), byBroker: false };
}

/** A connection that ends sooner after the broker has accepted it is short (ms). */
const shortBelow = 5_000;

/** So many short connections in a row have a cause. */
const several = 3;

/**
 * Detects a broker that repeatedly accepts a connection and closes it soon after, unlike one that is unavailable. Brokers
 * do that when two clients have the same client id: each takes over the session of the other. `now` is from `performance.now()`.
 */
export class ShortConnections {
  #shortInARow = 0;
  #acceptedAt: number | undefined;

  accepted(now: number): void {
    this.#acceptedAt = now;
  }

  /** The connection has ended, or was never accepted; `byBroker` if the gateway did not end it. */
  ended(now: number, byBroker: boolean): void {
    const isShort = byBroker && this.#acceptedAt !== undefined && now - this.#acceptedAt < shortBelow;
    this.#shortInARow = isShort ? this.#shortInARow + 1 : 0;
    this.#acceptedAt = undefined;
  }

  /** Several were short in a row, and none has lasted since. */
  areSeveral(now: number): boolean {
    const lasts = this.#acceptedAt !== undefined && now - this.#acceptedAt >= shortBelow;
    return this.#shortInARow >= several && !lasts;
  }
}
