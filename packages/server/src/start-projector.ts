import { startProjector } from '@visitor-counter/database/projection/projector';
import type { Round } from '@visitor-counter/database/projection/run-round';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { addTotal, type Metrics } from '@visitor-counter/service/metrics';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { Histogram } from 'prom-client';
import { startAuditing } from './start-auditing.ts';
import { startRetention } from './start-retention.ts';

/**
 * Runs the projector once the schema is up to date. Any number of these may run: one of them applies change records, the
 * others are on standby, which counts as ready. The same process removes the crossings that companies no longer keep, and computes
 * the results of audits.
 */
export async function startProjectorRole(context: RoleContext): Promise<RunningRole> {
  const { databaseUrl: url, migrated, log, metrics } = context;
  await migrated;
  const bounded = new BoundedLog(log);
  let hasFailed = false;
  const projector = startProjector({
    ...{ url, applicationName: 'visitor-counter projector', onRound: projectorInstruments(metrics) },
    onProblem: (error) => {
      hasFailed = true;
      bounded.write('warn', errorFields(error), 'the projection cannot be updated');
    },
  });
  const remover = startRetention(context);
  const auditing = startAuditing(context);
  return {
    ready: {},
    problem: async () =>
      hasFailed && !projector.isConnected ? 'the projection cannot be updated' : undefined,
    close: async () => {
      await Promise.all([projector.close(), remover.close(), auditing.close()]);
    },
  };
}

/** Returns what observes rounds of the projector. */
function projectorInstruments(registry: Metrics): (round: Round) => void {
  const totals = { composed: 0, read: 0 };
  const lag = new Histogram({
    name: 'visitor_counter_projection_lag_seconds',
    help: 'From the writing of a change record until its occupancy is visible, of the oldest record of each round.',
    buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [registry],
  });
  const composedHelp = 'Quarter hours continued.';
  const readHelp = 'Quarter hours whose crossings were read again, because they did not arrive in order.';
  addTotal(registry, 'visitor_counter_projection_composed_total', composedHelp, () => totals.composed);
  addTotal(registry, 'visitor_counter_projection_read_total', readHelp, () => totals.read);
  return ({ composed, read, since }) => {
    totals.composed += composed;
    totals.read += read;
    if (since !== undefined) lag.observe(Math.max(0, Date.now() - since) / 1_000);
  };
}
