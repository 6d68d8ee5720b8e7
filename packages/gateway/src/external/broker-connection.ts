import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import type { Logger } from '@visitor-counter/service/logger';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import mqtt, { type IPublishPacket, type MqttClient } from 'mqtt';
import { type BrokerFiles, loadBrokerTls } from './broker-tls.ts';
import type { ExternalConfig } from './external-config.ts';

/** A message of the broker, until it is acknowledged or its connection has ended. */
export interface Delivered {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Sent because of a subscription, not because it was just published. */
  readonly retained: boolean;
  /** Aborted when the connection has ended: the broker will deliver the message again. */
  readonly ended: AbortSignal;
}

export interface BrokerConnectionOptions {
  readonly config: ExternalConfig;
  readonly clientId: string;
  /** Seconds for which the broker keeps what it queues; 0 begins anew with every connection. */
  readonly sessionExpiry: number;
  readonly filters: readonly string[];
  /** Deals with one message; it is acknowledged when the promise resolves, and never when it rejects. */
  readonly onMessage: (message: Delivered) => Promise<void>;
  readonly log: Logger;
}

/** Seconds. */
const keepAlive = 30;

/**
 * One connection to the broker, made again for ever until it is closed.
 *
 * The client hands out the next message only when the one before is dealt with, and the broker is told not
 * to send more than one (receive maximum): so each connection holds one message, acknowledged by hand.
 */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  readonly #stopping = new AbortController();
  readonly #backOff = new BackOff({ first: 200, longest: 10_000 });
  readonly #running: Promise<void>;
  #client: MqttClient | undefined;

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Connected, and subscribed to everything it is there for. */
  get isUp(): boolean {
    return this.#client?.connected ?? false;
  }

  /** Resolves when the broker has the message; rejects when it is not known whether it has. */
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
      const reason = await this.#attempt();
      if (signal.aborted) return;
      const pause = this.#backOff.next();
      log.warn({ clientId, reason, pause }, 'not connected to the broker');
      await delay(pause, undefined, { signal }).catch(() => {});
    }
  }

  async #attempt(): Promise<string> {
    try {
      const files = await loadBrokerTls(this.#options.config.tls);
      return this.#stopping.signal.aborted ? 'stopped' : await this.#connection(files);
    } catch (error) {
      return textOf(error);
    }
  }

  /** One connection from its beginning to its end; the reason why it is over. */
  async #connection(files: BrokerFiles): Promise<string> {
    const { filters } = this.#options;
    const { signal } = this.#stopping;
    const over = new AbortController();
    const client = mqtt.connect(this.#options.config.url, { ...this.#clientOptions(), ...files });
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    client.on('error', (error) => end(error.message || String(error)));
    client.on('disconnect', ({ reasonCode }) => end(disconnectReason(reasonCode)));
    client.on('close', () => end('the connection was closed'));
    const onStop = () => end('stopped');
    signal.addEventListener('abort', onStop, { once: true });
    client.handleMessage = (packet, done) => void this.#handle(client, packet, over.signal, done);
    client.once('connect', () => {
      this.#subscribe(client, filters).then(
        () => {
          this.#client = client;
          this.#backOff.reset();
        },
        (error: unknown) => end(textOf(error)),
      );
    });
    const reason = await ended;
    this.#client = undefined;
    over.abort();
    signal.removeEventListener('abort', onStop);
    client.end(true);
    return reason;
  }

  #clientOptions(): mqtt.IClientOptions {
    const { config, clientId, sessionExpiry } = this.#options;
    const { username, password } = config;
    return {
      protocolVersion: 5,
      clientId,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      clean: sessionExpiry === 0,
      properties: {
        sessionExpiryInterval: sessionExpiry,
        receiveMaximum: 1,
        maximumPacketSize: maxPacketBytes,
      },
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      keepalive: keepAlive,
      connectTimeout: 10_000,
    };
  }

  async #subscribe(client: MqttClient, filters: readonly string[]): Promise<void> {
    if (filters.length === 0) return;
    const grants = await client.subscribeAsync([...filters], { qos: 1 });
    const refused = grants.find(({ qos }) => qos > 2);
    if (refused) throw new Error(`the broker refuses the subscription ${refused.topic} (${refused.qos})`);
  }

  async #handle(
    client: MqttClient,
    { topic, payload, retain }: IPublishPacket,
    ended: AbortSignal,
    done: () => void,
  ): Promise<void> {
    /* While a message is held the client does not read the broker's answers to its own pings. */
    const pinging = setInterval(
      () => {
        client.sendPing();
        client.reschedulePing(true);
      },
      (keepAlive / 2) * 1_000,
    );
    try {
      await this.#options.onMessage({ topic, payload: Buffer.from(payload), retained: retain, ended });
      if (!ended.aborted) done();
    } catch (error) {
      if (!ended.aborted) this.#options.log.error({ err: error }, 'a message could not be handled');
      client.stream.destroy();
    } finally {
      clearInterval(pinging);
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Sender taken over (MQTT 5, section 3.14.2.1): somebody else has connected with the same client id. */
const takenOver = 0x8e;

function disconnectReason(code: number | undefined): string {
  if (code === takenOver) return 'another gateway has the same client id: give each its own MQTT_CLIENT_ID';
  return `the broker has ended the connection (${code ?? 0})`;
}
