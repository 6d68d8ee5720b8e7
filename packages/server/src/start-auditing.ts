import { computeResults } from '@visitor-counter/database/accuracy/compute-results';
import { connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { repeat } from '@visitor-counter/service/repeat';
import type { RoleContext } from '@visitor-counter/service/roles';

/** Polling interval for audits without a result (ms). */
const interval = 2_000;

/** Computes the results of audits of doors as soon as the units have delivered what was audited. */
export function startAuditing({ databaseUrl, log }: RoleContext): { close(): Promise<void> } {
  const database = connect(databaseUrl, { applicationName: 'visitor-counter audits', maxConnections: 1 });
  const bounded = new BoundedLog(log);
  const repetition = repeat(
    interval,
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
