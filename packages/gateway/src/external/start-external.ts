import type { Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { encodeCommitted } from '@visitor-counter/wire/committed-message';
import { encodeTime } from '@visitor-counter/wire/time-message';
import { topic, type UnitChannel } from '@visitor-counter/wire/topics';
import type { DeviceStates } from '../devices/device-states.ts';
import { watchOrders } from '../devices/order-watch.ts';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import { type Answers, receiver } from '../ingest/receive.ts';
import type { JournalCoverage } from '../journals/journal-coverage.ts';
import { newsOf } from '../journals/journal-report.ts';
import { startCoverage } from '../journals/start-coverage.ts';
import { aboutError } from '../log/error-fields.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import { BrokerConnection, type BrokerConnectionOptions, thrownOutReason } from './broker-connection.ts';
import { consumer } from './consume.ts';
import type { ExternalConfig } from './external-config.ts';
import { statusFollower } from './follow-status.ts';
import { Devices } from './known-devices.ts';
import { OnlineUnits } from './online-units.ts';

export interface StartExternalOptions {
  readonly config: ExternalConfig;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
  /** How often open orders of units are looked for (ms). */
  readonly orderInterval: number;
  readonly pool: Database['pool'];
  readonly committer: GroupCommitter;
  readonly states: DeviceStates;
  readonly instruments: GatewayInstruments;
  readonly log: Logger;
}

/** The gateway as a consumer of an existing broker. */
export interface ExternalBroker {
  /** Undefined when every connection is up, else what to tell the operator. */
  problem(): string | undefined;
  /** Connections to the broker that are up. */
  connections(): number;
  /** Ends the connections; the broker keeps what they had not acknowledged. */
  close(): Promise<void>;
}

/**
 * How long a unit has to report an order before it is published again (ms): its report comes back through the broker and
 * the database.
 */
const repeatEvery = 10_000;

/**
 * Connects to the broker, for ever: connections that share the crossings and heartbeats of all units with every other
 * gateway, one that follows their statuses, and one that publishes to them: the time, what is committed, and orders.
 */
export function startExternal(options: StartExternalOptions): ExternalBroker {
  const { config, pool, log } = options;
  const bounded = new BoundedLog(log);
  const answering = open(options, bounded, 'answers', {
    sessionExpiry: 0,
    filters: [],
    onMessage: async () => {},
  });
  const coverage = startCoverage({
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
      if (all.some(({ isThrownOut }) => isThrownOut)) return thrownOutReason;
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
  options: Pick<BrokerConnectionOptions, 'sessionExpiry' | 'filters' | 'optional' | 'onMessage'>,
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
  const devices = new Devices(pool);
  const { ingest, access, noteBacklog } = instruments;
  const receive = receiver({
    committer,
    states,
    answers,
    instruments: ingest,
    noteBacklog,
    maxAge,
    log: options.log,
  });
  const onMessage = consumer({ devices, receive, access, log });
  const shared = (channel: UnitChannel) => `$share/${group}/counter/v1/+/${channel}`;
  const subscriptions = {
    filters: [shared('crossings'), shared('heartbeat')],
    optional: [shared('diagnosis')],
  };
  const follow = statusFollower({
    ...{ devices, states, units, otherwise: onMessage },
    onError: (error) => log.write('warn', aboutError(error), 'status not stored yet; retrying'),
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
      /* QoS 0: a time that arrives late is worse than none. */
      answering.publish(topic(serial, 'time'), encodeTime({ at: now }), 0).catch(() => {});
      /* Its status does not come again where the database has been restored, or did not know the device. */
      if (units.has(serial)) states.note(deviceId, { status: { online: true, at: now, generation } });
      if (heartbeat) for (const news of newsOf(sender, heartbeat)) coverage.note(news);
    },
    settled: ({ deviceId, serial }, { journal, first, last }) =>
      coverage.note({ deviceId, serial, journal, acknowledged: 0, received: [{ first, last }], lost: [] }),
  };
}
