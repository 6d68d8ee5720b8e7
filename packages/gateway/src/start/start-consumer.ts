import { Backpressure } from '../backpressure/backpressure.ts';
import type { ExternalConfig } from '../external/external-config.ts';
import { startExternal } from '../external/start-external.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import type { IngestLimits } from './config.ts';
import {
  applicationName,
  defaultTimes,
  drainDeadline,
  type StartBrokerOptions,
  type Started,
} from './start-broker.ts';
import { startStates } from './start-states.ts';

export interface StartConsumerOptions extends Omit<StartBrokerOptions, 'config'> {
  readonly config: ExternalConfig;
  readonly ingest: IngestLimits;
}

/**
 * Starts everything between an external broker and the database, whose schema is up to date. The broker need not be
 * available yet. `close` ends the connections, stores their messages, and writes the states of devices.
 */
export function startConsumer({
  config,
  ingest: ingestLimits,
  url,
  database,
  log,
  limits,
  instruments,
}: StartConsumerOptions): Started {
  const { pool } = database;
  const { states, close: closeStates } = startStates({ url, log, limits, instruments });
  /* Without effect here: each connection has at most one message. */
  const backpressure = new Backpressure();
  const ingest = startIngest({
    ...{
      url,
      applicationName,
      backpressure,
      log,
      limits,
      device: ingestLimits,
      instruments: instruments.ingest,
    },
  });
  const { committer } = ingest;
  const external = startExternal({
    ...{ config, pool, committer, states, instruments, log },
    maxAge: ingestLimits.maxAge,
    orderInterval: limits.sessionInterval ?? defaultTimes.sessionInterval,
  });
  instruments.watch({
    load: () => committer.load,
    isReading: () => !backpressure.isActive,
    connections: external.connections,
    unwrittenStates: () => states.size,
  });
  return {
    ready: { broker: config.url },
    readiness: async (probe) => (await ingest.storing.readiness(probe)) ?? external.problem(),
    isStoring: () => ingest.storing.problem() === undefined,
    close: async () => {
      await external.close();
      await committer.drain(drainDeadline);
      await ingest.close();
      await closeStates();
    },
  };
}
