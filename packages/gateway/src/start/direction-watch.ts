import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import type { Database } from '@visitor-counter/database/sql/connect';
import { atIntervals, type Repeated } from '@visitor-counter/service/at-intervals';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { aboutError } from '../log/error-fields.ts';

/** Finds stores that count the wrong way round, `interval` ms after the end of the last look. */
export function watchDirections(database: Database, interval: number, log: BoundedLog): Repeated {
  return atIntervals(
    interval,
    () => judgeDirections(database, Date.now()),
    (error) => log.write('warn', aboutError(error), 'directions not evaluated'),
  );
}
