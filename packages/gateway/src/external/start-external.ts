import type { Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { encodeCommitted, encodeTime } from '@visitor-counter/wire/gateway-messages';
import { topic, type UnitChannel } from '@visitor-counter/wire/topics';
import type { DeviceStates } from '../devices/device-states.ts';
import { watchOrders } from '../devices/order-watch.ts';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import { type Answers, Receiver } from '../ingest/receive.ts';
import { JournalCoverage } from '../journals/journal-coverage.ts';
import { journalReports } from '../journals/journal-report.ts';
import { errorFields } from '../log/log-fields.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import { BrokerConnection, repeatedlyClosedReason } from './broker-connection.ts';
import type { BrokerSessionOptions } from './broker-session.ts';
import { consumer, KnownDevices, OnlineUnits, statusFollower } from './consume.ts';
import type { ExternalConfig } from './external-config.ts';

export interface StartExternalOptions {
  readonly config: ExternalConfig;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
  /** Polling interval for open orders of units (ms). */
  readonly orderInterval: number;
  readonly pool: Database['pool'];
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly instruments: GatewayInstruments;
  readonly log: Logger;
}

/** The gateway's connections to an existing broker. */
export interface ExternalBroker {
  /** The problem for the operator; undefined when every connection is up. */
  problem(): string | undefined;
  /** Connections to the broker that are up. */
  connections(): number;
  /** Ends the connections; the broker keeps the messages that are not acknowledged. */
  close(): Promise<void>;
}

/**
 * Time until an order that its unit has not reported is published again (ms): the report returns through the broker and
 * the database.
 */
const repeatEvery = 10_000;

/**
 * Connects to the broker, and reconnects until closed: connections that share the crossings and heartbeats of all units with every other
 * gateway, one that receives their statuses, and one that publishes the time, committed positions and orders.
 */
export function startExternal(options: StartExternalOptions): ExternalBroker {
  const { config, pool, log } = options;
  const bounded = new BoundedLog(log);
  const answering = open(options, bounded, 'answers', {
    sessionExpiry: 0,
    filters: [],
    onMessage: async () => {},
  });
  const coverage = new JournalCoverage({
    ...{ pool, log },
    publishCommitted: (serial, journal, through) =>
      answering.publish(topic(serial, 'committed'), encodeCommitted({ journal, through }), 1),
  });
  const units = new OnlineUnits();
  const answers = answersOf(options, { coverage, answering, units });
  const consuming = openConsuming(options, { answers, units }, bounded);
  const orders = watchOrders({
    ...{ pool, repeatEvery, interval: options.orderInterval, log: bounded },
    serials: () => units.serials(),
    publish: (channel, payload) => answering.publish(channel, payload, 1),
  });
  const all = [answering, ...consuming];
  const connections = () => all.filter(({ isUp }) => isUp).length;
  return {
    connections,
    problem: () => {
      const up = connections();
      if (all.some(({ isRepeatedlyClosed }) => isRepeatedlyClosed)) return repeatedlyClosedReason;
      return up === all.length ? undefined : `${up} of ${all.length} connections to ${config.url} are up`;
    },
    close: async () => {
      await Promise.all(consuming.map((connection) => connection.close()));
      await coverage.close();
      await Promise.all([orders.close(), answering.close()]);
    },
  };
}

function open(
  { config }: StartExternalOptions,
  log: BoundedLog,
  role: string,
  options: Pick<BrokerSessionOptions, 'sessionExpiry' | 'filters' | 'optional' | 'onMessage'>,
): BrokerConnection {
  return new BrokerConnection({ config, clientId: `${config.clientId}-${role}`, log, ...options });
}

function openConsuming(
  options: StartExternalOptions,
  { answers, units }: { readonly answers: Answers; readonly units: OnlineUnits },
  log: BoundedLog,
): readonly BrokerConnection[] {
  const { config, pool, committer, states, maxAge, instruments } = options;
  const { group, sessionExpiry, connections } = config;
  const devices = new KnownDevices(pool);
  const { ingest, access, noteBacklog } = instruments;
  const receiver = new Receiver({
    ...{ committer, states, answers, instruments: ingest, noteBacklog, maxAge, log: options.log },
  });
  const onMessage = consumer({ devices, receiver, access, log });
  const shared = (channel: UnitChannel) => `$share/${group}/counter/v1/+/${channel}`;
  const subscriptions = {
    filters: [shared('crossings'), shared('heartbeat')],
    optional: [shared('diagnosis')],
  };
  const follow = statusFollower({
    ...{ devices, states, units, otherwise: onMessage },
    onError: (error) => log.write('warn', errorFields(error), 'status not stored yet; retrying'),
  });
  return [
    open(options, log, 'status', { sessionExpiry: 0, filters: ['counter/v1/+/status'], onMessage: follow }),
    ...Array.from({ length: connections }, (_, index) =>
      open(options, log, `${index + 1}`, { sessionExpiry, ...subscriptions, onMessage }),
    ),
  ];
}

interface AnswerParts {
  readonly coverage: JournalCoverage;
  readonly answering: BrokerConnection;
  readonly units: OnlineUnits;
}

function answersOf({ states }: StartExternalOptions, { coverage, answering, units }: AnswerParts): Answers {
  return {
    heartbeat: (sender, now, heartbeat) => {
      const { deviceId, serial, generation } = sender;
      /* QoS 0: a delayed time is worse than none. */
      answering.publish(topic(serial, 'time'), encodeTime({ at: now }), 0).catch(() => {});
      /* Its status is not sent again after the database was restored, or the device was registered. */
      if (units.has(serial)) states.note(deviceId, { status: { online: true, at: now, generation } });
      if (heartbeat) for (const report of journalReports(sender, heartbeat)) coverage.note(report);
    },
    committed: ({ deviceId, serial }, { journal, first, last }) =>
      coverage.note({ deviceId, serial, journal, acknowledged: 0, received: [{ first, last }], lost: [] }),
  };
}
