import { startProjector } from '@visitor-counter/database/projection/projector';
import { isDatabaseUnavailable, reasonOf } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { projectorInstruments } from './projector-instruments.ts';

/**
 * Runs the projector once the schema is up to date. Any number of these may run: one of them applies change records, the
 * others stand by, which counts as ready.
 */
export async function startProjectorRole({
  databaseUrl: url,
  migrated,
  log,
  metrics,
}: RoleContext): Promise<RunningRole> {
  await migrated;
  const bounded = new BoundedLog(log);
  let hasFailed = false;
  const projector = startProjector({
    ...{ url, applicationName: 'visitor-counter projector', onRound: projectorInstruments(metrics) },
    onProblem: (error) => {
      hasFailed = true;
      const fields = isDatabaseUnavailable(error) ? { reason: reasonOf(error) } : { err: error };
      bounded.write('warn', fields, 'the projection cannot be updated');
    },
  });
  return {
    ready: {},
    problem: async () =>
      hasFailed && !projector.isConnected ? 'the projection cannot be updated' : undefined,
    close: () => projector.close(),
  };
}
