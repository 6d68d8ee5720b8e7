import type { OpenPass } from '@visitor-counter/database/retention/remove-batch';
import { type Removal, startRemover } from '@visitor-counter/database/retention/remover';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { addGauge, addTotal, type Metrics } from '@visitor-counter/service/metrics';
import type { RoleContext } from '@visitor-counter/service/roles';

/**
 * Removes the crossings that companies no longer keep. Any number of these may run: one of them works, the others stand
 * by. Start it when the schema is up to date.
 */
export function startRetention({ databaseUrl: url, log, metrics }: RoleContext): { close(): Promise<void> } {
  const bounded = new BoundedLog(log);
  return startRemover({
    ...{ url, applicationName: 'visitor-counter retention' },
    ...observed(log, metrics),
    onProblem: (error) => bounded.write('warn', errorFields(error), 'old crossings cannot be removed'),
  });
}

/** Time between two log lines of one pass (ms). */
const progressInterval = 60_000;

/** What logs and counts the work of the remover. */
function observed(log: Logger, metrics: Metrics): Removal {
  let [total, open, loggedAt] = [0, 0, 0];
  addTotal(
    metrics,
    'visitor_counter_retention_removed_total',
    'Crossings removed by retention.',
    () => total,
  );
  const openHelp = 'Whether this process is removing the crossings of a company.';
  addGauge(metrics, 'visitor_counter_retention_active', openHelp, () => open);
  const fieldsOf = ({ company, before }: Pick<OpenPass, 'company' | 'before'>) => ({
    ...{ company, before: new Date(before).toISOString() },
  });
  return {
    onBegun: (pass) => log.info(fieldsOf(pass), 'old crossings become unreadable'),
    onRemoved: (pass, removed) => {
      total += removed;
      open = 1;
      if (Date.now() - loggedAt < progressInterval) return;
      loggedAt = Date.now();
      log.info({ ...fieldsOf(pass), removed: total }, 'removing old crossings');
    },
    onFinished: (pass, removed) => {
      open = 0;
      log.info({ ...fieldsOf(pass), removed }, 'old crossings removed');
    },
  };
}
