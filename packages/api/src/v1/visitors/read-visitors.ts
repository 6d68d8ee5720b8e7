import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { periodOf, type Request } from '@visitor-counter/database/visitors/plan';
import { readSeries, type Series } from '@visitor-counter/database/visitors/read-series';
import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { lengthOf } from '@visitor-counter/domain/periods';
import { rangeTooLarge } from '../../problems/problems.ts';

/** The most hours or days of stores in one answer, those of the compared period not included. */
const mostCells = 1_500_000;

/** Counts the visitors of stores of one company. `db` must be a snapshot. Throws `range_too_large`. */
export async function readVisitors(
  db: Reader,
  stores: readonly StoreFacts[],
  requested: Omit<Request, 'final'>,
): Promise<Series[]> {
  requireFew(stores, requested);
  return await readSeries(db, stores, requested);
}

function requireFew(stores: readonly StoreFacts[], { days, size, now }: Omit<Request, 'final'>): void {
  const cells = onceForEachCalendar(
    (calendar) => Math.max(0, lengthOf(periodOf(calendar, days, now))) * (size === 'hour' ? 24 : 1),
  );
  const sum = stores.reduce((total, { calendar }) => total + cells(calendar), 0);
  if (sum > mostCells) throw rangeTooLarge(mostCells);
}
