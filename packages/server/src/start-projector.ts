import { computeResults } from '@visitor-counter/database/accuracy/compute-results';
import { startProjector } from '@visitor-counter/database/projection/projector';
import type { Round } from '@visitor-counter/database/projection/run-round';
import type { OpenPass } from '@visitor-counter/database/retention/remove-batch';
import { type Removal, startRemover } from '@visitor-counter/database/retention/remover';
import { connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { addGauge, addTotal, type Metrics } from '@visitor-counter/service/metrics';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { Histogram } from 'prom-client';

/**
 * Runs the projector once the schema is up to date. Any number of these may run: one of them applies change records, the
 * others are on standby, which counts as ready. The role also removes the crossings that companies no longer keep, and
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
  const totals = { composed: 0, read: 0 };
  const lag = new Histogram({
    name: 'visitor_counter_projection_lag_seconds',
    help: 'From the writing of a change record until its occupancy is visible, of the oldest record of each round.',
    buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [registry],
  });
  const composedHelp = 'Quarter hours that were updated without reading their crossings again.';
  const readHelp = 'Quarter hours read again: crossings came late, or were corrected, moved or voided.';
  addTotal(registry, 'visitor_counter_projection_composed_total', composedHelp, () => totals.composed);
  addTotal(registry, 'visitor_counter_projection_read_total', readHelp, () => totals.read);
  return ({ composed, read, since }) => {
    totals.composed += composed;
    totals.read += read;
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

/** Removes the crossings that companies no longer keep. Of several processes, one does it. */
function startRetention({ databaseUrl: url, log, metrics }: RoleContext, bounded: BoundedLog): Repetition {
  const { onInterrupted, ...observer } = removalObserver(log, metrics);
  return startRemover({
    url,
    applicationName: 'visitor-counter retention',
    ...observer,
    onProblem: (error) => {
      onInterrupted();
      bounded.write('warn', errorFields(error), 'old crossings cannot be removed');
    },
  });
}

/** Time between two log lines of one pass (ms). */
const progressInterval = 60_000;

/** The callbacks that log and count the work of the remover. */
export function removalObserver(
  log: Logger,
  metrics: Metrics,
): Required<Pick<Removal, 'onBegun' | 'onRemoved' | 'onFinished'>> & { readonly onInterrupted: () => void } {
  let [total, open, loggedAt] = [0, 0, Number.NEGATIVE_INFINITY];
  /** The pass that continues, and how many crossings were removed since. */
  let current: OpenPass | undefined;
  let continued = 0;
  addTotal(
    metrics,
    'visitor_counter_retention_removed_total',
    'Crossings removed by retention.',
    () => total,
  );
  const openHelp = 'Whether this process is removing the crossings of a company.';
  addGauge(metrics, 'visitor_counter_retention_active', openHelp, () => open);
  const fieldsOf = ({ company, before }: Pick<OpenPass, 'company' | 'before'>) => ({
    company,
    before: new Date(before).toISOString(),
  });
  return {
    onBegun: (pass) => log.info(fieldsOf(pass), 'old crossings become unreadable'),
    onRemoved: (pass, removed) => {
      total += removed;
      open = 1;
      continued = pass === current ? continued + removed : removed;
      current = pass;
      if (performance.now() - loggedAt < progressInterval) return;
      loggedAt = performance.now();
      log.info({ ...fieldsOf(pass), removed: pass.removed + continued }, 'removing old crossings');
    },
    onFinished: (pass, removed) => {
      open = 0;
      log.info({ ...fieldsOf(pass), removed }, 'old crossings removed');
    },
    /* Another process may finish the pass. */
    onInterrupted: () => {
      open = 0;
    },
  };
}
