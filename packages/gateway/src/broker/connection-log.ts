import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Client } from 'aedes';
import {
  connectionOf,
  LoginTimeout,
  MalformedPacket,
  PacketTooLarge,
} from '../listener/client-connection.ts';
import { shown } from '../log/shortened.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Session } from './session.ts';

/** What is remembered of a connection of a unit until it is over. */
interface Noted {
  readonly since: number;
  reason?: string;
}

/** Says who has connected, from where, and how it ended; counts what clients were cut for. */
export class ConnectionLog {
  readonly #log: BoundedLog;
  readonly #access: AccessInstruments;
  readonly #noted = new WeakMap<Client, Noted>();

  constructor(log: BoundedLog, access: AccessInstruments) {
    this.#log = log;
    this.#access = access;
  }

  connected(client: Client, { serial }: Session): void {
    this.#noted.set(client, { since: Date.now() });
    const address = connectionOf(client)?.address;
    this.#log.write('info', { serial, address }, 'unit connected');
  }

  /** The first reason for which a connection is to end is the one that is told. */
  ending(client: Client, reason: string): void {
    const noted = this.#noted.get(client);
    if (noted) noted.reason ??= reason;
  }

  /** The broker or the network has failed this client; its connection ends. */
  failed(client: Client, error: Error): void {
    count(this.#access, error);
    this.ending(client, error.message);
    if (this.#noted.has(client) || isRefusal(error)) return;
    const facts = { clientId: shown(client.id ?? ''), reason: error.message };
    this.#log.write('info', facts, 'connection ended before login');
  }

  disconnected(client: Client, { serial }: Session): void {
    const noted = this.#noted.get(client);
    if (noted === undefined) return;
    this.#noted.delete(client);
    const { since, reason = 'the unit has closed it' } = noted;
    const seconds = Math.round((Date.now() - since) / 1_000);
    this.#log.write('info', { serial, reason, seconds }, 'unit disconnected');
  }
}

/** What went beyond a device's rights is counted where it is refused. */
function count(access: AccessInstruments, error: Error): void {
  if (error instanceof PacketTooLarge) access.packetRefused('too large');
  else if (error instanceof LoginTimeout) access.loginRefused('too slow');
  else if (error instanceof MalformedPacket) access.packetRefused('malformed');
  else if (!('code' in error) && !isRefusal(error) && !/timeout$/.test(error.message)) {
    access.packetRefused('malformed');
  }
}

/** A login that was answered with a refusal, which is logged and counted there. */
function isRefusal(error: Error): boolean {
  return 'returnCode' in error || 'errorCode' in error;
}
