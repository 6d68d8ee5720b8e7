import { encodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { topic } from '@visitor-counter/wire/topics';
import mqtt, { type MqttClient } from 'mqtt';

/** The time between two heartbeats (ms). */
const beatEvery = 1_000;

/**
 * A unit that sends a heartbeat every second and delivers its crossings, through all restarts of its gateway.
 */
export class AlertUnit {
  readonly #serial: string;
  readonly #connect: () => MqttClient;
  #client: MqttClient;
  #timer: NodeJS.Timeout | undefined;
  #said: Partial<Heartbeat> = {};
  #recorded = 0;
  /** Messages with crossings, and what to call when one of them is acknowledged. */
  readonly #unacknowledged = new Map<string, () => void>();

  constructor(port: number, serial: string, secret: string) {
    this.#serial = serial;
    const login = { clientId: serial, username: serial, password: secret };
    /* A gateway that was killed may be back before its database, and then refuses to log units in. */
    const options = { ...login, reconnectPeriod: 250, reconnectOnConnackError: true };
    this.#connect = () => mqtt.connect(`mqtt://127.0.0.1:${port}`, options);
    this.#client = this.#speak();
  }

  /** Adds these fields to all further heartbeats, and sends the first one immediately. */
  say(heartbeat: Partial<Heartbeat>): void {
    this.#said = { ...this.#said, ...heartbeat };
    this.#beatNow();
  }

  /** One person crosses now. */
  async cross(direction: 1 | -1): Promise<void> {
    this.#recorded += 1;
    const message = { journal: 'alerts', first: this.#recorded, crossings: [[Date.now(), direction]] };
    const payload = JSON.stringify(message);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unacknowledged.set(payload, resolve);
    this.#deliver(payload);
    await promise;
  }

  get recorded(): number {
    return this.#recorded;
  }

  /** Sends no more messages after one last heartbeat; resolves with the instant of that one (epoch ms). */
  async fallSilent(): Promise<number> {
    clearInterval(this.#timer);
    const last = Date.now();
    await this.#beat();
    await this.#client.endAsync(true);
    return last;
  }

  speakAgain(): void {
    this.#client = this.#speak();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#client.endAsync(true);
  }

  /** Sends unacknowledged messages again itself: MQTT.js loses them if the connection breaks while it does so. */
  #speak(): MqttClient {
    const client = this.#connect();
    client.on('error', () => {});
    client.on('connect', () => {
      for (const payload of this.#unacknowledged.keys()) this.#deliver(payload);
    });
    client.once('connect', () => this.#beatNow());
    this.#timer = setInterval(() => this.#beatNow(), beatEvery);
    return client;
  }

  #deliver(payload: string): void {
    const acknowledged = () => {
      this.#unacknowledged.get(payload)?.();
      this.#unacknowledged.delete(payload);
    };
    this.#client
      .publishAsync(topic(this.#serial, 'crossings'), payload, { qos: 1 })
      .then(acknowledged, () => {});
  }

  #beatNow(): void {
    if (this.#client.connected) void this.#beat().catch(() => {});
  }

  async #beat(): Promise<void> {
    const counted = { recorded: this.#recorded, acknowledged: this.#recorded };
    const heartbeat = {
      at: Date.now(),
      journal: 'alerts',
      clock: 'synced',
      ...counted,
      ...this.#said,
    } as const;
    await this.#client.publishAsync(topic(this.#serial, 'heartbeat'), encodeHeartbeat(heartbeat), { qos: 1 });
  }
}
