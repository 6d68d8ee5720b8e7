import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { maxPacketBytes } from '@visitor-counter/wire/limits';
import mqtt, { type IPublishPacket, type MqttClient } from 'mqtt';
import { type BrokerFiles, loadBrokerTls } from './broker-tls.ts';
import type { ExternalConfig } from './external-config.ts';
import { ShortConnections } from './short-connections.ts';

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
  /** Filters that the broker may refuse: its operator may not have granted them yet. */
  readonly optional?: readonly string[];
  /** Deals with one message; it is acknowledged when the promise resolves, and never when it rejects. */
  readonly onMessage: (message: Delivered) => Promise<void>;
  readonly log: BoundedLog;
}

/** Why a connection is over, and whether it was not this side that ended it. */
interface End {
  readonly reason: string;
  readonly byBroker: boolean;
}

/** What a connection that is thrown out tells the operator. */
export const thrownOutReason =
  'the broker ends connections soon after it accepts them: another gateway may be using this MQTT_CLIENT_ID';

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
  readonly #short = new ShortConnections();
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

  /** The broker closes it again and again, soon after it has accepted it. */
  get isThrownOut(): boolean {
    return this.#short.areSeveral(Date.now());
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
      log.write('warn', { clientId, reason: this.#explained(reason), pause }, 'not connected to the broker');
      await delay(pause, undefined, { signal }).catch(() => {});
    }
  }

  #explained(reason: string): string {
    return this.isThrownOut && reason !== takenOverReason ? `${reason}; ${thrownOutReason}` : reason;
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
    const { signal } = this.#stopping;
    const over = new AbortController();
    const client = mqtt.connect(this.#options.config.url, { ...this.#clientOptions(), ...files });
    const { promise: ended, resolve: end } = Promise.withResolvers<End>();
    const cut = (reason: string) => end({ reason, byBroker: true });
    const giveUp = (reason: string) => end({ reason, byBroker: false });
    client.on('error', (error) => cut(error.message || String(error)));
    client.on('disconnect', ({ reasonCode }) => cut(disconnectReason(reasonCode)));
    client.on('close', () => cut('the connection was closed'));
    const onStop = () => giveUp('stopped');
    signal.addEventListener('abort', onStop, { once: true });
    client.handleMessage = (packet, done) => {
      this.#handle(client, packet, over.signal, done).catch(() => giveUp('message not handled'));
    };
    client.once('connect', () => {
      this.#short.accepted(Date.now());
      this.#subscribeAll(client).then(
        () => {
          this.#client = client;
          this.#backOff.reset();
        },
        (error: unknown) => giveUp(textOf(error)),
      );
    });
    const { reason, byBroker } = await ended;
    this.#short.over(Date.now(), byBroker);
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

  async #subscribeAll(client: MqttClient): Promise<void> {
    const { clientId, filters, optional = [], log } = this.#options;
    await this.#subscribe(client, filters);
    await this.#subscribe(client, optional).catch((error: unknown) =>
      log.write('warn', { clientId, reason: textOf(error) }, 'optional subscription refused by the broker'),
    );
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
      if (!ended.aborted) this.#options.log.write('error', { err: error }, 'message not handled');
      throw error;
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
const takenOverReason = 'another gateway has the same client id: give each its own MQTT_CLIENT_ID';

function disconnectReason(code: number | undefined): string {
  if (code === takenOver) return takenOverReason;
  return `the broker has ended the connection (${code ?? 0})`;
}
