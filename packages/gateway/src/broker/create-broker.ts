import type { EventEmitter } from 'node:events';
import type { Database } from '@visitor-counter/database/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { encodeTime } from '@visitor-counter/wire/time-message';
import { topic } from '@visitor-counter/wire/topics';
import { Aedes, type Client } from 'aedes';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import type { DeviceStates } from '../state/device-states.ts';
import { authenticator } from './authenticator.ts';
import { publishGuard, subscribeGuard } from './guards.ts';
import { OneSocketPerSerial } from './one-socket-per-serial.ts';
import { receiver } from './receive.ts';
import type { Session } from './session.ts';
import { shown } from './shown.ts';

export interface BrokerOptions {
  readonly pool: Database['pool'];
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  /** How long a client is kept waiting for an answer to its login (ms). */
  readonly loginDeadline: number;
  readonly instruments: GatewayInstruments;
  readonly log: Logger;
}

/** How long a connection may take to send its CONNECT (ms). */
const connectTimeout = 10_000;

/**
 * The MQTT broker of the units: who may log in, what they may say and hear, and what becomes of it.
 *
 * It keeps nothing: sessions end with their connection, retained messages are not retained, and what is
 * sent to units has QoS 0, so no queue grows for a unit that is away.
 */
export async function createBroker({
  pool,
  committer,
  states,
  loginDeadline,
  instruments,
  log,
}: BrokerOptions): Promise<Aedes> {
  const broker = await Aedes.createBroker({ connectTimeout });
  const sessions = new WeakMap<Client, Session>();
  const sockets = new OneSocketPerSerial(broker, (client) => {
    const session = sessions.get(client);
    if (session === undefined) return;
    /* The end of the connection says what the last will would, and also where there is none. */
    const { deviceId, generation } = session;
    states.note(deviceId, { status: { online: false, at: Date.now(), generation } });
  });
  const tellTime = (serial: string, now: number) => {
    const payload = encodeTime({ at: now });
    const packet = { cmd: 'publish', topic: topic(serial, 'time'), payload } as const;
    broker.publish({ ...packet, qos: 0, retain: false, dup: false }, () => {});
  };
  const { ingest, access, noteBacklog } = instruments;
  const receive = receiver({ committer, states, tellTime, instruments: ingest, noteBacklog, log });
  const told = { access, log: new BoundedLog(log) };
  const { preConnect, authenticate } = authenticator({ pool, sessions, sockets, loginDeadline, ...told });
  broker.preConnect = preConnect;
  broker.authenticate = authenticate;
  broker.authorizePublish = publishGuard({ sessions, receive, ...told });
  broker.authorizeSubscribe = subscribeGuard({ sessions, ...told });
  broker.on('clientError', (client, error) =>
    log.debug({ clientId: shown(client.id), err: error }, 'client error'),
  );
  broker.on('connectionError', (_, error) => log.debug({ err: error }, 'connection error'));
  const events: EventEmitter = broker;
  events.on('error', (error) => log.error({ err: error }, 'broker error'));
  return broker;
}
