import type { Database } from '@visitor-counter/database/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { encodeCommitted } from '@visitor-counter/wire/committed-message';
import { encodeTime } from '@visitor-counter/wire/time-message';
import { topic, type UnitChannel } from '@visitor-counter/wire/topics';
import type { JournalCoverage } from '../coverage/journal-coverage.ts';
import { newsOf } from '../coverage/journal-news.ts';
import { startCoverage } from '../coverage/start-coverage.ts';
import type { GroupCommitter } from '../ingest/group-committer.ts';
import { type Answers, receiver } from '../ingest/receive.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import { aboutError } from '../start/about-error.ts';
import type { DeviceStates } from '../state/device-states.ts';
import { BrokerConnection, type BrokerConnectionOptions, thrownOutReason } from './broker-connection.ts';
import { consumer } from './consume.ts';
import { Devices } from './devices.ts';
import type { ExternalConfig } from './external-config.ts';
import { statusFollower } from './follow-status.ts';

export interface StartExternalOptions {
  readonly config: ExternalConfig;
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
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
 * Connects to the broker, for ever: connections that share the crossings and heartbeats of all units with
 * every other gateway, one that follows their statuses, and one that answers.
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
  const consuming = openConsuming(options, answersOf(coverage, answering), bounded);
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
      await answering.close();
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
  answers: Answers,
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
    ...{ devices, states, otherwise: onMessage },
    onError: (error) => log.write('warn', aboutError(error), 'a status waits for the database'),
  });
  return [
    open(options, log, 'status', { sessionExpiry: 0, filters: ['counter/v1/+/status'], onMessage: follow }),
    ...Array.from({ length: connections }, (_, index) =>
      open(options, log, `${index + 1}`, { sessionExpiry, ...subscriptions, onMessage }),
    ),
  ];
}

function answersOf(coverage: JournalCoverage, answering: BrokerConnection): Answers {
  return {
    heartbeat: (sender, now, heartbeat) => {
      /* QoS 0: a time that arrives late is worse than none. */
      answering.publish(topic(sender.serial, 'time'), encodeTime({ at: now }), 0).catch(() => {});
      if (heartbeat) for (const news of newsOf(sender, heartbeat)) coverage.note(news);
    },
    settled: ({ deviceId, serial }, { journal }) =>
      coverage.note({ deviceId, serial, journal, acknowledged: 0, lost: [] }),
  };
}
