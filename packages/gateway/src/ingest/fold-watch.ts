import type { Database } from '@visitor-counter/database/connect';
import { foldUnfolded } from '@visitor-counter/database/occupancy/fold-unfolded';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { aboutError } from '../start/about-error.ts';
import { atIntervals, type Repeated } from '../start/at-intervals.ts';

/** What is done at a time: some ten ms of this process's work. */
const limits = { quarters: 32, rows: 20_000 };

/** How long between the end of a look and the next (ms). */
const interval = 5_000;

/**
 * Folds, in quiet moments, what storing left unfolded: late crossings of a dense quarter hour, which would be read
 * again by everybody who asks for that day. Several gateways may do it at once; one of them is then in vain.
 */
export function watchFolds(database: Database, log: BoundedLog): Repeated {
  return atIntervals(
    interval,
    () => foldUnfolded(database, limits),
    (error) => log.write('warn', aboutError(error), 'occupancy not recomputed; retrying'),
  );
}
