import { startProjector } from '@visitor-counter/database/projection/projector';
import type { Round } from '@visitor-counter/database/projection/run-round';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { addCounter, type Metrics } from '@visitor-counter/service/metrics';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { Histogram } from 'prom-client';

/**
 * Runs the projector once the schema is up to date. Any number of these may run: one of them derives the projection, the
 * others are on standby, which counts as ready. The role also deletes the crossings that companies no longer keep, and
 * computes the results of audits.
 */
export async function startProjectorRole(context: RoleContext): Promise<RunningRole> {
  const { databaseUrl: url, migrated, log, metrics } = context;
  await migrated;
  const bounded = new BoundedLog(log);
  let hasFailed = false;
  const projector = startProjector({
    url,
    applicationName: 'visitor-counter projector',
    onRound: projectorInstruments(metrics),
    onRemoved: retentionInstruments(metrics, log),
    onProblem: (error, message) => {
      hasFailed ||= message === undefined;
      bounded.write('warn', errorFields(error), message ?? problem);
    },
  });
  return {
    ready: {},
    problem: async () => (hasFailed && !projector.isConnected ? problem : undefined),
    close: () => projector.close(),
  };
}

const problem = 'the projection cannot be updated';

/** Returns a function that records a round of the projector in the metrics. */
function projectorInstruments(registry: Metrics): (round: Round) => void {
  const lag = new Histogram({
    name: 'visitor_counter_projection_lag_seconds',
    help: 'From the storing of crossings until occupancy contains them, of the oldest change of each round.',
    buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [registry],
  });
  const counter = (name: string, help: string) =>
    addCounter(registry, `visitor_counter_projection_${name}_total`, help);
  const folded = counter('folded', 'Quarter hours that were derived.');
  const read = counter(
    'read',
    'Those of which all crossings were read: some came late, or were corrected, moved or voided.',
  );
  return ({ quarters, whole, since }) => {
    folded(quarters);
    read(whole);
    if (since !== undefined) lag.observe(Math.max(0, Date.now() - since) / 1_000);
  };
}

/** Returns a function that adds deleted crossings to the metrics. */
function retentionInstruments(registry: Metrics, log: Logger): (removed: number) => void {
  let hasRemoved = false;
  const name = 'visitor_counter_retention_removed_total';
  const count = addCounter(registry, name, 'Crossings deleted by retention.');
  return (removed) => {
    if (!hasRemoved) log.info('deleting old crossings');
    hasRemoved = true;
    count(removed);
  };
}
