import { computeResults } from '@visitor-counter/database/accuracy/compute-results';
import { startProjector } from '@visitor-counter/database/projection/projector';
import type { Round } from '@visitor-counter/database/projection/run-round';
import { startRemover } from '@visitor-counter/database/retention/retention';
import type { SoleWorker } from '@visitor-counter/database/sql/advisory-locks';
import { connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { addCounter, type Metrics } from '@visitor-counter/service/metrics';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
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
    onProblem: (error) => {
      hasFailed = true;
      bounded.write('warn', errorFields(error), 'the projection cannot be updated');
    },
  });
  const remover = startRetention(context, bounded);
  const auditing = startAuditing(context, bounded);
  return {
    ready: {},
    problem: async () =>
      hasFailed && !projector.isConnected ? 'the projection cannot be updated' : undefined,
    close: async () => {
      await Promise.all([projector.close(), remover.close(), auditing.close()]);
    },
  };
}

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

/** Polling interval for audits without a result (ms). */
const auditInterval = 2_000;

/** Computes the results of audits as soon as the units have delivered the crossings of the audited time. */
function startAuditing({ databaseUrl }: RoleContext, bounded: BoundedLog): Repetition {
  const database = connect(databaseUrl, { applicationName: 'visitor-counter audits', maxConnections: 1 });
  const repetition = repeat(
    auditInterval,
    () => computeResults(database.kysely, Date.now()),
    (error) => bounded.write('warn', errorFields(error), 'results of audits cannot be computed'),
  );
  return {
    close: async () => {
      await repetition.close();
      await database.close();
    },
  };
}

/** Deletes the crossings that companies no longer keep. Of several processes, one does it. */
function startRetention({ databaseUrl: url, log, metrics }: RoleContext, bounded: BoundedLog): SoleWorker {
  let hasRemoved = false;
  const name = 'visitor_counter_retention_removed_total';
  const count = addCounter(metrics, name, 'Crossings deleted by retention.');
  return startRemover({
    url,
    applicationName: 'visitor-counter retention',
    onRemoved: (removed) => {
      if (!hasRemoved) log.info('deleting old crossings');
      hasRemoved = true;
      count(removed);
    },
    onProblem: (error) => bounded.write('warn', errorFields(error), 'old crossings cannot be deleted'),
  });
}
