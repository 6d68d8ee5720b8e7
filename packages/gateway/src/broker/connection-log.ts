import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Client } from 'aedes';
import {
  connectionOf,
  LoginTimeout,
  MalformedPacket,
  PacketTooLarge,
} from '../listener/client-connection.ts';
import { shortened } from '../log/log-fields.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Session } from './login.ts';

/** The connection of a unit, until it ends. */
interface OpenConnection {
  readonly since: number;
  reason?: string;
}

/** Logs the connections of units and why they ended, and counts errors of clients. */
export class ConnectionLog {
  readonly #log: BoundedLog;
  readonly #access: AccessInstruments;
  readonly #open = new WeakMap<Client, OpenConnection>();

  constructor(log: BoundedLog, access: AccessInstruments) {
    this.#log = log;
    this.#access = access;
  }

  connected(client: Client, { serial }: Session): void {
    this.#open.set(client, { since: Date.now() });
    const address = connectionOf(client)?.address;
    this.#log.write('info', { serial, address }, 'unit connected');
  }

  /** Records why a connection is about to end; the first reason is logged. */
  ending(client: Client, reason: string): void {
    const connection = this.#open.get(client);
    if (connection) connection.reason ??= reason;
  }

  /** A connection ends because of an error of the client, the broker or the network. */
  failed(client: Client, error: Error): void {
    count(this.#access, error);
    this.ending(client, error.message);
    if (this.#open.has(client) || isRefusal(error)) return;
    const fields = { clientId: shortened(client.id ?? ''), reason: error.message };
    this.#log.write('info', fields, 'connection ended before login');
  }

  disconnected(client: Client, { serial }: Session): void {
    const connection = this.#open.get(client);
    if (connection === undefined) return;
    this.#open.delete(client);
    const { since, reason = 'closed by the unit' } = connection;
    const seconds = Math.round((Date.now() - since) / 1_000);
    this.#log.write('info', { serial, reason, seconds }, 'unit disconnected');
  }
}

/** Violations of a device's rights are counted where they are refused. */
function count(access: AccessInstruments, error: Error): void {
  if (error instanceof PacketTooLarge) access.packetRefused('too large');
  else if (error instanceof LoginTimeout) access.loginRefused('too slow');
  else if (error instanceof MalformedPacket) access.packetRefused('malformed');
  else if (!('code' in error) && !isRefusal(error) && !/timeout$/.test(error.message)) {
    access.packetRefused('malformed');
  }
}

/** A refused login, which the authenticator logs and counts. */
function isRefusal(error: Error): boolean {
  return 'returnCode' in error || 'errorCode' in error;
}
