import type { EventEmitter } from 'node:events';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { LoginFailures } from '@visitor-counter/service/login-failures';
import { encodeTime } from '@visitor-counter/wire/gateway-messages';
import { topic } from '@visitor-counter/wire/topics';
import { Aedes, type Client } from 'aedes';
import type { DeviceStates, Sender } from '../devices/device-states.ts';
import { watchOrders } from '../devices/order-watch.ts';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import { type Answers, Receiver } from '../ingest/receive.ts';
import type { JournalCoverage } from '../journals/journal-coverage.ts';
import { journalReports } from '../journals/journal-report.ts';
import { connectionOf, drainTimeout } from '../listener/client-connection.ts';
import type { ListenerLimits } from '../listener/connection-limits.ts';
import { RateLimits } from '../listener/socket-reader.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import { authenticator } from './authenticator.ts';
import { ConnectionLog } from './connection-log.ts';
import type { LoginOptions, Session } from './login.ts';
import { type EntryEvents, OneSocketPerSerial } from './one-socket-per-serial.ts';
import { authorizeSubscribe, publishHandler, RightsViolation } from './rights.ts';
import { watchSessions } from './session-watch.ts';

export interface BrokerOptions extends LoginOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly coverage: JournalCoverage;
  readonly limits: ListenerLimits;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
  /** Polling interval for connections that must end, and for open orders (ms). */
  readonly sessionInterval: number;
  readonly instruments: GatewayInstruments;
  readonly log: Logger;
}

export interface Broker {
  readonly aedes: Aedes;
  /** Ends the periodic work; the broker itself is closed with its server. */
  stopWatching(): Promise<void>;
}

/**
 * The pause in reading from a device after a message that could neither be stored nor kept as rejected (ms). Otherwise
 * the device would send the same message again as soon as it is connected.
 */
const fullPause = 2_000;

/** Unsent bytes of one client beyond which it gets no more QoS 0 messages. */
const maxUnsentBytes = 64 * 1024;

/**
 * The MQTT broker of the units: authenticates and authorizes them, stores their messages, and publishes to them.
 *
 * It stores nothing itself: sessions end with their connection, retained messages are not retained, and messages to
 * units have QoS 0, so no queue grows for a unit that is offline. `concurrency` is unlimited; otherwise a hundred
 * messages that clients do not read would delay those of all others.
 */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { pool, gatewayId, states, limits, loginDeadline, sessionInterval, log } = options;
  const { access } = options.instruments;
  const bounded = new BoundedLog(log);
  const connectTimeout = limits.loginWithin;
  const broker = await Aedes.createBroker({ connectTimeout, drainTimeout, concurrency: 0 });
  const sessions = new Map<Client, Session>();
  const connections = new ConnectionLog(bounded, access);
  const sockets = new OneSocketPerSerial(broker, entryEvents(sessions, connections, states));
  const publish = publisher(broker);
  const rates = new RateLimits(limits);
  const receiver = createReceiver(options, publish, rates);
  const failures = new LoginFailures(limits.failuresPerMinute, Date.now);
  const hooks = { sessions, access, log: bounded };
  Object.assign(
    broker,
    authenticator({ pool, gatewayId, loginDeadline, sockets, failures, connections, ...hooks }),
  );
  broker.on('clientReady', (client) => {
    const session = sessions.get(client);
    if (session === undefined) return client.close();
    const rate = rates.of(session.deviceId, Date.now());
    connectionOf(client)?.admit(rate, publishHandler(session, { receiver, access, log: bounded }));
  });
  /* Only last wills arrive here, and the end of the connection already sets the device offline. */
  broker.authorizePublish = (_client, _packet, done) => done(new RightsViolation('not by the broker'));
  broker.authorizeSubscribe = authorizeSubscribe(hooks);
  broker.authorizeForward = (client, packet) => (unsentBytes(client) > maxUnsentBytes ? null : packet);
  logErrors(broker, connections, log);
  const sessionWatch = watchSessions({ pool, sessions, connections, interval: sessionInterval, log });
  const orders = watchOrders({
    pool,
    serials: () => [...sessions.values()].map(({ serial }) => serial),
    publish: async (channel, payload) => publish(channel, payload),
    interval: sessionInterval,
    repeatEvery: 0,
    log: bounded,
  });
  const stopWatching = async () => {
    for (const client of sessions.keys()) connections.ending(client, 'the gateway is stopping');
    await Promise.all([sessionWatch.close(), orders.close()]);
  };
  return { aedes: broker, stopWatching };
}

type Publish = (topic: string, payload: string) => void;

function createReceiver(
  { committer, states, coverage, maxAge, instruments, log }: BrokerOptions,
  publish: Publish,
  rates: RateLimits,
): Receiver {
  const answers: Answers = {
    heartbeat: (sender, now, heartbeat) => {
      publish(topic(sender.serial, 'time'), encodeTime({ at: now }));
      if (heartbeat) for (const report of journalReports(sender, heartbeat)) coverage.note(report);
    },
  };
  const onFull = ({ deviceId }: Sender) => rates.of(deviceId, Date.now()).pause(fullPause, Date.now());
  const { ingest, noteBacklog } = instruments;
  return new Receiver({
    ...{ committer, states, answers, instruments: ingest, noteBacklog, onFull, maxAge, log },
  });
}

function entryEvents(
  sessions: Map<Client, Session>,
  connections: ConnectionLog,
  states: DeviceStates,
): EntryEvents {
  return {
    onReplaced: (client) => connections.ending(client, 'the unit has a newer connection'),
    onRemoved: (client) => {
      const session = sessions.get(client);
      if (session === undefined) return;
      sessions.delete(client);
      connections.disconnected(client, session);
      /* The same as the last will, but also for units without one. */
      const { deviceId, generation } = session;
      states.note(deviceId, { status: { online: false, at: Date.now(), generation } });
    },
  };
}

function publisher(broker: Aedes): Publish {
  return (topic, payload) =>
    broker.publish({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false }, () => {});
}

function unsentBytes({ conn }: Client): number {
  return 'writableLength' in conn ? Number(conn.writableLength) : 0;
}

function logErrors(broker: Aedes, connections: ConnectionLog, log: Logger): void {
  const onError = (client: Client, error: Error) => connections.failed(client, error);
  broker.on('clientError', onError);
  broker.on('connectionError', onError);
  const events: EventEmitter = broker;
  events.on('error', (error) => log.error({ err: error }, 'broker error'));
}
