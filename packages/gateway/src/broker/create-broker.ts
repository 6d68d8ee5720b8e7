import type { EventEmitter } from 'node:events';
import { findEndedSessions } from '@visitor-counter/database/devices/connections';
import { recordExceededRate } from '@visitor-counter/database/devices/device-states';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { shortened } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { Aedes, type Client } from 'aedes';
import type { DeviceStates } from '../devices/device-states.ts';
import { watchOrders } from '../devices/order-watch.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Receive } from '../ingest/receive.ts';
import { connectionOf } from '../listener/client-connection.ts';
import { ClientError } from '../listener/client-error.ts';
import { deviceRates } from '../listener/rate-limits.ts';
import { authenticator } from './authenticator.ts';
import { maySubscribe, type Publish, publishHandler } from './device-messages.ts';
import { RefusedLogins } from './refused-logins.ts';
import { Sessions } from './sessions.ts';

interface Broker {
  readonly aedes: Aedes;
  /** The units whose logins are refused, for the operator; undefined if there are none. */
  remark(): string | undefined;
  /** Ends the periodic work; the broker itself is closed with its server. */
  stopWatching(): Promise<void>;
}

/** How long a client may leave what the broker sends unread (ms). */
const drainTimeout = 20_000;

/** Unsent bytes of one client beyond which it gets no more QoS 0 messages. */
const maxUnsentBytes = 64 * 1024;

/**
 * The MQTT broker of the units: authenticates and authorizes them, stores their messages, and publishes to them.
 *
 * It stores nothing itself: sessions end with their connection, the retain flag has no effect, and messages to units have
 * QoS 0, so no queue grows for a unit that is offline. `concurrency` is unlimited; otherwise a hundred messages that
 * clients do not read would delay those of all others.
 */
export async function createBroker(
  parts: GatewayParts,
  states: DeviceStates,
  receive: Receive,
): Promise<Broker> {
  const { db, limits, log } = parts;
  const { access } = parts.instruments;
  const connectTimeout = limits.loginWithin;
  const broker = await Aedes.createBroker({ connectTimeout, drainTimeout, concurrency: 0 });
  const sessions = new Sessions(broker, states, access, log);
  const publish = publisher(broker);
  const rateOf = deviceRates(limits, ({ deviceId, serial }) => {
    log.write('warn', { serial }, 'device sends more than its rate allows');
    const failed = (error: unknown) => log.write('warn', errorFields(error), 'excess rate not recorded');
    void recordExceededRate(db, deviceId).catch(failed);
  });
  const refusedLogins = new RefusedLogins();
  Object.assign(broker, authenticator(parts, sessions, refusedLogins));
  broker.on('clientReady', (client) => {
    const session = sessions.of(client);
    if (session === undefined) return client.close();
    connectionOf(client)?.admit(rateOf(session), publishHandler(session, parts, receive, publish));
  });
  /* Only last wills arrive here, and the end of the connection already sets the device offline. */
  broker.authorizePublish = (_client, _packet, done) =>
    done(new ClientError('rights-violation', 'not by the broker'));
  /* A refused subscription is answered with SUBACK 128. */
  broker.authorizeSubscribe = (client, subscription, done) => {
    const session = sessions.of(client);
    if (session && maySubscribe(session.serial, subscription)) return done(null, subscription);
    access.packetRefused('subscription');
    const fields = { serial: session?.serial, topic: shortened(subscription.topic) };
    log.write('warn', fields, 'subscription refused');
    return done(null, null);
  };
  broker.authorizeForward = (client, packet) => (unsentBytes(client) > maxUnsentBytes ? null : packet);
  const events: EventEmitter = broker;
  events.on('error', (error) => log.write('error', { err: error }, 'broker error'));
  const sessionWatch = watchSessions(parts, sessions);
  const serials = () => sessions.all().map(({ serial }) => serial);
  const orders = watchOrders(parts, serials, publish);
  const stopWatching = async () => {
    for (const session of sessions.all()) session.endReason ??= 'the gateway is stopping';
    await Promise.all([sessionWatch.close(), orders.close()]);
  };
  return { aedes: broker, remark: () => refusedLogins.remark(), stopWatching };
}

function publisher(broker: Aedes): Publish {
  return (topic, payload) =>
    broker.publish({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false }, () => {});
}

function unsentBytes({ conn }: Client): number {
  return 'writableLength' in conn ? Number(conn.writableLength) : 0;
}

/**
 * Closes connections of devices that have connected to another gateway, or whose secret was changed or revoked. While
 * the database is unavailable no connection is closed.
 */
function watchSessions({ db, gatewayId, limits, log }: GatewayParts, sessions: Sessions): Repetition {
  const closeEnded = async () => {
    for (const session of await findEndedSessions(db, gatewayId, sessions.all()))
      sessions.end(session, 'the unit is connected to another gateway, or its secret has changed');
  };
  return repeat(limits.sessionInterval, closeEnded, (error) =>
    log.write('warn', errorFields(error), 'connections not compared with the database'),
  );
}
