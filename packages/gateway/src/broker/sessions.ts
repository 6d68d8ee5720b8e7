import { type BoundedLog, shortened } from '@visitor-counter/service/bounded-log';
import type { Aedes, Client } from 'aedes';
import type { DeviceStates } from '../devices/device-states.ts';
import { connectionOf } from '../listener/client-connection.ts';
import { ClientError, type ClientErrorCode } from '../listener/client-error.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Session } from './login.ts';

/** A session from its login until the broker has removed its client. */
interface OpenSession extends Session {
  readonly client: Client;
  readonly removed: PromiseWithResolvers<void>;
  /** From `performance.now()`; undefined until the broker has the client. */
  admittedAt?: number;
  endReason?: string;
}

/**
 * The sessions of this gateway. Admits the clients of one serial number to the broker one after the other, so that only
 * the newest remains; logs connections and why they ended.
 *
 * The broker closes an older client of the same id itself, but needs several turns of the event loop between a login and
 * the entry in its list of clients. Two clients of one id in this interval would both stay open and receive every
 * command.
 */
export class Sessions {
  readonly #states: DeviceStates;
  readonly #access: AccessInstruments;
  readonly #log: BoundedLog;
  readonly #open = new Map<Client, OpenSession>();
  /** The newest session of each serial number. */
  readonly #newest = new Map<string, OpenSession>();

  constructor(broker: Aedes, states: DeviceStates, access: AccessInstruments, log: BoundedLog) {
    this.#states = states;
    this.#access = access;
    this.#log = log;
    broker.on('client', (client) => {
      /* Closed before the broker has listed it: the broker does not report its end. */
      if (client.closed) this.#remove(client);
    });
    broker.on('clientDisconnect', (client) => this.#remove(client));
    const onError = (client: Client, error: Error) => this.#failed(client, error);
    broker.on('clientError', onError);
    broker.on('connectionError', onError);
  }

  of(client: Client): Session | undefined {
    return this.#open.get(client);
  }

  all(): OpenSession[] {
    return [...this.#open.values()];
  }

  /**
   * Closes the client that has the serial number, waits until it is removed, and admits this one, unless it was closed
   * meanwhile, also by a newer one.
   *
   * `admit` must pass it to the broker synchronously: from then on the broker reports its end.
   */
  async enter(login: Session, client: Client, admit: () => void): Promise<void> {
    const { serial } = login;
    const session: OpenSession = { ...login, client, removed: Promise.withResolvers<void>() };
    const previous = this.#newest.get(serial);
    this.#open.set(client, session);
    this.#newest.set(serial, session);
    if (previous) {
      this.end(previous, 'the unit has a newer connection');
      await previous.removed.promise;
    }
    if (client.closed) return this.#remove(client);
    session.admittedAt = performance.now();
    this.#log.write('info', { serial, address: connectionOf(client)?.address }, 'unit connected');
    admit();
  }

  /** Closes the connection of a session; the first reason is logged. */
  end(session: OpenSession, reason: string): void {
    session.endReason ??= reason;
    session.client.close();
  }

  #remove(client: Client): void {
    const session = this.#open.get(client);
    if (session === undefined) return;
    this.#open.delete(client);
    const { deviceId, serial, admittedAt, endReason: reason = 'closed by the unit' } = session;
    if (this.#newest.get(serial) === session) this.#newest.delete(serial);
    session.removed.resolve();
    /* Its login has set the device offline, and a newer connection may be online already. */
    if (admittedAt === undefined) return;
    const seconds = Math.round((performance.now() - admittedAt) / 1_000);
    this.#log.write('info', { serial, reason, seconds }, 'unit disconnected');
    /* The same as the last will, but also for units without one. */
    this.#states.record(deviceId, { status: { online: false, at: Date.now() } });
  }

  /** A connection ends because of an error of the client, the broker or the network. */
  #failed(client: Client, error: Error): void {
    count(this.#access, error);
    const session = this.#open.get(client);
    if (session) session.endReason ??= error.message;
    /* The authenticator logs the logins that it refuses. */
    if (session?.admittedAt !== undefined || 'returnCode' in error) return;
    const { address } = connectionOf(client) ?? {};
    const fields = { clientId: shortened(client.id ?? ''), address, reason: error.message };
    this.#log.write('info', fields, 'connection ended before login');
  }
}

const refusedPackets: Partial<Record<ClientErrorCode, 'too large' | 'malformed'>> = {
  'packet-too-large': 'too large',
  'malformed-packet': 'malformed',
};

/**
 * Violations of a device's rights and refused logins are counted where they are refused. Errors of the broker's parser have
 * no code; those that it answers with CONNACK have an `errorCode`.
 */
function count(access: AccessInstruments, error: Error): void {
  if (error instanceof ClientError) {
    const refused = refusedPackets[error.code];
    if (refused) access.packetRefused(refused);
    if (error.code === 'login-timeout') access.loginRefused('too slow');
  } else if (!('code' in error) && !('errorCode' in error) && !/timeout$/.test(error.message)) {
    access.packetRefused('malformed');
  }
}
