import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@visitor-counter/database/sql/connect';
import { encodeCommitted, encodeTime } from '@visitor-counter/wire/gateway-messages';
import { topic, type UnitChannel } from '@visitor-counter/wire/topics';
import { LRUCache } from 'lru-cache';
import { watchOrders } from '../devices/order-watch.ts';
import { Receiver, type ReceiverParts } from '../ingest/receive.ts';
import { JournalCoverage } from '../journals/journal-coverage.ts';
import { journalReports } from '../journals/journal-report.ts';
import { BrokerConnection, repeatedlyClosedReason } from './broker-connection.ts';
import type { BrokerSessionOptions } from './broker-session.ts';
import { consumer, KnownDevices, type OnlineUnits, statusFollower } from './consume.ts';
import type { ExternalConfig } from './external-config.ts';

interface StartExternalOptions extends ReceiverParts {
  readonly config: ExternalConfig;
  readonly pool: Database['pool'];
  /** Polling interval for open orders of units (ms). */
  readonly orderInterval: number;
}

/** The connections to the units, or to their broker. */
export interface UnitConnections {
  /** Logged when the gateway is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** The problem for the operator; undefined when there is none. */
  problem(): string | undefined;
  /** What else the operator should know. */
  remark?(): string | undefined;
  /** How many are open. */
  connections(): number;
  /** Stops reading, awaits `drain`, which stores the messages already read, and ends the connections. */
  close(drain: () => Promise<void>): Promise<void>;
}

/**
 * Time until an order that its unit has not reported is published again (ms): the report returns through the broker and
 * the database.
 */
const repeatEvery = 10_000;

/**
 * How long a stopping gateway waits until the broker has its last committed positions (ms). Units repeat the crossings for
 * which they get none.
 */
const publishDeadline = 1_000;

/**
 * Connects to an existing broker, which need not be available yet, and reconnects until closed: connections that receive
 * the crossings and heartbeats of all units, or this gateway's share of them, one that receives their statuses, and one that
 * publishes the time, committed positions and orders. The broker keeps the messages that are not acknowledged.
 */
export function startExternal(options: StartExternalOptions): UnitConnections {
  const { config, pool, log, states } = options;
  const answering = open(options, 'answers', { sessionExpiry: 0, filters: [], onMessage: async () => {} });
  const coverage = new JournalCoverage({
    pool,
    log,
    publishCommitted: (serial, journal, through) =>
      answering.publish(topic(serial, 'committed'), encodeCommitted({ journal, through }), 1),
  });
  const units: OnlineUnits = new LRUCache({ max: 100_000 });
  const receiver = new Receiver({
    ...options,
    onHeartbeat: ({ deviceId, serial, generation }, now, heartbeat) => {
      /* QoS 0: a delayed time is worse than none. */
      answering.publish(topic(serial, 'time'), encodeTime({ at: now }), 0).catch(() => {});
      if (config.subscriptions === 'plain') units.set(serial, true);
      /* Its status is not sent again after the database was restored, or the device was registered. */
      if (units.has(serial)) states.record(deviceId, { status: { online: true, at: now, generation } });
      if (heartbeat)
        for (const report of journalReports({ deviceId, serial }, heartbeat)) coverage.add(report);
    },
    onCommitted: ({ deviceId, serial }, { journal, first, last }) =>
      coverage.add({ deviceId, serial, journal, acknowledged: 0, received: [{ first, last }], lost: [] }),
  });
  const consuming = openConsuming(options, receiver, units);
  const orders = watchOrders({
    pool,
    repeatEvery,
    interval: options.orderInterval,
    log,
    serials: () => units.keys(),
    publish: (channel, payload) => answering.publish(channel, payload, 1),
  });
  const all = [answering, ...consuming];
  const connections = () => all.filter(({ isUp }) => isUp).length;
  return {
    ready: { broker: config.url },
    connections,
    problem: () => {
      const up = connections();
      if (all.some(({ isRepeatedlyClosed }) => isRepeatedlyClosed)) return repeatedlyClosedReason;
      if (up === all.length) return undefined;
      const reason = all.map(({ failure }) => failure).find((failure) => failure !== undefined);
      const problem = `${up} of ${all.length} connections to ${config.url} are up`;
      return reason === undefined ? problem : `${problem}: ${reason}`;
    },
    close: async (drain) => {
      await Promise.all(consuming.map((connection) => connection.close()));
      await drain();
      const published = coverage.close();
      await Promise.race([published, delay(publishDeadline, undefined, { ref: false })]);
      await Promise.all([orders.close(), answering.close(), published]);
    },
  };
}

function open(
  { config, log }: StartExternalOptions,
  role: string,
  options: Pick<BrokerSessionOptions, 'sessionExpiry' | 'filters' | 'optional' | 'onMessage'>,
): BrokerConnection {
  return new BrokerConnection({ config, clientId: `${config.clientId}-${role}`, log, ...options });
}

function openConsuming(
  options: StartExternalOptions,
  receiver: Receiver,
  units: OnlineUnits,
): readonly BrokerConnection[] {
  const { config, pool, states, instruments, log } = options;
  const { group, sessionExpiry, connections } = config;
  const devices = new KnownDevices(pool);
  const onMessage = consumer({ devices, receiver, access: instruments.access, log });
  const follow = statusFollower({ devices, states, units, log, otherwise: onMessage });
  const ofAll = (channel: UnitChannel) => `counter/v1/+/${channel}`;
  if (config.subscriptions === 'plain') {
    /* In order, since heartbeats also show that units are online: such brokers may not send retained statuses again. */
    const inOrder = { sessionExpiry, filters: [ofAll('status'), ofAll('heartbeat')], onMessage: follow };
    const rest = { sessionExpiry, filters: [ofAll('crossings')], optional: [ofAll('diagnosis')], onMessage };
    return [open(options, 'status', inOrder), open(options, 'crossings', rest)];
  }
  const shared = (channel: UnitChannel) => `$share/${group}/${ofAll(channel)}`;
  const subscriptions = {
    filters: [shared('crossings'), shared('heartbeat')],
    optional: [shared('diagnosis')],
  };
  return [
    open(options, 'status', { sessionExpiry: 0, filters: [ofAll('status')], onMessage: follow }),
    ...Array.from({ length: connections }, (_, index) =>
      open(options, `${index + 1}`, { sessionExpiry, ...subscriptions, onMessage }),
    ),
  ];
}
