import { Socket } from 'node:net';
import { topic } from '@visitor-counter/wire/topics';
import mqtt, { type MqttClient } from 'mqtt';
import { unitSecret, unitSerial } from '../shared/company.ts';
import { loginDeadline, type SentMessage, type Unit } from './unit.ts';

/** A unit on MQTT.js, with its full work for a message. */
class ClientUnit implements Unit {
  onAcknowledged: Unit['onAcknowledged'] = () => {};
  onLost: Unit['onLost'] = () => {};
  readonly #client: MqttClient;
  readonly #serial: string;
  readonly #inFlight = new Set<SentMessage>();

  constructor(client: MqttClient, serial: string) {
    this.#client = client;
    this.#serial = serial;
    client.on('error', (error) => this.onLost(error));
    client.on('close', () => this.onLost(new Error('the server has ended the connection')));
  }

  get unacknowledged(): readonly SentMessage[] {
    return [...this.#inFlight];
  }

  send(message: SentMessage, payload: string): void {
    this.#inFlight.add(message);
    this.#client.publish(topic(this.#serial, message.channel), payload, { qos: 1 }, (error) => {
      if (error) return this.onLost(error);
      this.#inFlight.delete(message);
      this.onAcknowledged([message]);
    });
  }

  end(): void {
    this.onLost = () => {};
    this.#client.end(true);
  }
}

/**
 * Logs a unit in; rejects if the server refuses it, or does not answer. With `noDelay` it sends each message immediately,
 * like the product's units; without, which is the default of MQTT.js, the system delays later messages until the first
 * one is acknowledged.
 */
export async function connectClientUnit(port: number, index: number, noDelay: boolean): Promise<Unit> {
  const serial = unitSerial(index);
  const options = {
    clientId: serial,
    username: serial,
    password: unitSecret(serial),
    reconnectPeriod: 0,
    connectTimeout: loginDeadline,
  };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, options, false);
  if (!(client.stream instanceof Socket)) throw new Error('MQTT.js has not connected with a socket');
  client.stream.setNoDelay(noDelay);
  return new ClientUnit(client, serial);
}
