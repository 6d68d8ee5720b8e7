import type { EventEmitter } from 'node:events';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { LoginFailures } from '@visitor-counter/service/login-failures';
import { encodeTime } from '@visitor-counter/wire/time-message';
import { topic } from '@visitor-counter/wire/topics';
import { Aedes, type Client } from 'aedes';
import type { DeviceStates } from '../devices/device-states.ts';
import { watchOrders } from '../devices/order-watch.ts';
import type { Sender } from '../devices/sender.ts';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import { type Answers, receiver } from '../ingest/receive.ts';
import type { JournalCoverage } from '../journals/journal-coverage.ts';
import { newsOf } from '../journals/journal-report.ts';
import { connectionOf, drainTimeout } from '../listener/client-connection.ts';
import type { DefenceLimits } from '../listener/listener-limits.ts';
import { Paces } from '../listener/rate-limits.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import { authenticator } from './authenticator.ts';
import { ConnectionLog } from './connection-log.ts';
import type { LoginOptions } from './login.ts';
import { OneSocketPerSerial, type TurnEvents } from './one-socket-per-serial.ts';
import { publicationsOf } from './publications.ts';
import { RightsViolation } from './rights-violation.ts';
import type { Session } from './session.ts';
import { SessionWatch } from './session-watch.ts';
import { subscribeGuard } from './subscribe-guard.ts';

export interface BrokerOptions extends LoginOptions {
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly coverage: JournalCoverage;
  readonly defence: DefenceLimits;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
  /** How often it is looked for connections that are to end (ms). */
  readonly sessionInterval: number;
  readonly instruments: GatewayInstruments;
  readonly log: Logger;
}

export interface Broker {
  readonly aedes: Aedes;
  /** Ends the watch over the sessions; the broker itself is closed with its server. */
  stopWatching(): Promise<void>;
}

/**
 * How long nothing is read from a device after a message that could neither be stored nor kept as rejected (ms): it
 * sends the same again as soon as it is connected.
 */
const fullPause = 2_000;

/** What may wait to be sent to one client (bytes); beyond it what has no PUBACK is not sent. */
const maxUnsentBytes = 64 * 1024;

/**
 * The MQTT broker of the units: who may log in, what they may say and hear, and what becomes of it.
 *
 * It keeps nothing: sessions end with their connection, retained messages are not retained, and what is
 * sent to units has QoS 0, so no queue grows for a unit that is away. `concurrency` is without bound, since
 * otherwise a hundred messages that clients leave unread would hold up those of all others.
 */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { pool, gatewayId, committer, states, defence, maxAge, loginDeadline, sessionInterval, log } =
    options;
  const { ingest, access, noteBacklog } = options.instruments;
  const told = { access, log: new BoundedLog(log) };
  const connectTimeout = defence.loginWithin;
  const broker = await Aedes.createBroker({ connectTimeout, drainTimeout, concurrency: 0 });
  const sessions = new Map<Client, Session>();
  const connections = new ConnectionLog(told.log, access);
  const sockets = new OneSocketPerSerial(broker, turnEvents(sessions, connections, states));
  const tell = teller(broker);
  const answers: Answers = {
    heartbeat: (sender, now, heartbeat) => {
      tell(topic(sender.serial, 'time'), encodeTime({ at: now }));
      if (heartbeat) for (const news of newsOf(sender, heartbeat)) options.coverage.note(news);
    },
  };
  const paces = new Paces(defence);
  const onFull = ({ deviceId }: Sender) => paces.of(deviceId, Date.now()).pause(fullPause, Date.now());
  const receiving = { committer, states, answers, instruments: ingest, noteBacklog, maxAge, onFull, log };
  const receive = receiver(receiving);
  const failures = new LoginFailures(defence.failuresPerMinute, Date.now);
  const login = { pool, gatewayId, sessions, sockets, failures, loginDeadline, connections, ...told };
  Object.assign(broker, authenticator(login));
  broker.on('clientReady', (client) => {
    const session = sessions.get(client);
    if (session === undefined) return client.close();
    const pace = paces.of(session.deviceId, Date.now());
    connectionOf(client)?.admit(pace, publicationsOf(session, { receive, ...told }));
  });
  /* Units' messages do not come here. A last will does; what it says is known from the end of the connection. */
  broker.authorizePublish = (_client, _packet, done) => done(new RightsViolation('not by the broker'));
  broker.authorizeSubscribe = subscribeGuard({ sessions, ...told });
  broker.authorizeForward = (client, packet) => (unsentBytes(client) > maxUnsentBytes ? null : packet);
  noteErrors(broker, connections, log);
  const watch = new SessionWatch({ pool, sessions, connections, interval: sessionInterval, log });
  const orders = watchOrders({
    pool,
    serials: () => [...sessions.values()].map(({ serial }) => serial),
    publish: async (channel, payload) => tell(channel, payload),
    interval: sessionInterval,
    repeatEvery: 0,
    log: told.log,
  });
  const stopWatching = async () => {
    for (const client of sessions.keys()) connections.ending(client, 'the gateway stops');
    await Promise.all([watch.close(), orders.close()]);
  };
  return { aedes: broker, stopWatching };
}

function turnEvents(
  sessions: Map<Client, Session>,
  connections: ConnectionLog,
  states: DeviceStates,
): TurnEvents {
  return {
    onReplaced: (client) => connections.ending(client, 'the unit has a newer connection'),
    onLeft: (client) => {
      const session = sessions.get(client);
      if (session === undefined) return;
      sessions.delete(client);
      connections.disconnected(client, session);
      /* The end of the connection says what the last will would, and also where there is none. */
      const { deviceId, generation } = session;
      states.note(deviceId, { status: { online: false, at: Date.now(), generation } });
    },
  };
}

function teller(broker: Aedes): (topic: string, payload: string) => void {
  return (topic, payload) =>
    broker.publish({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false }, () => {});
}

function unsentBytes({ conn }: Client): number {
  return 'writableLength' in conn ? Number(conn.writableLength) : 0;
}

function noteErrors(broker: Aedes, connections: ConnectionLog, log: Logger): void {
  const note = (client: Client, error: Error) => connections.failed(client, error);
  broker.on('clientError', note);
  broker.on('connectionError', note);
  const events: EventEmitter = broker;
  events.on('error', (error) => log.error({ err: error }, 'broker error'));
}
