import type { Db } from '@visitor-counter/database/sql/query-builder';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import type { Request } from '@visitor-counter/database/visitors/plan';
import { readSeries, type Series } from '@visitor-counter/database/visitors/read-series';
import { aboutHowMany } from '@visitor-counter/domain/buckets';
import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { comparisons } from '@visitor-counter/domain/periods';
import Type from 'typebox';
import { rangeTooLarge } from '../../problems/problems.ts';
import { count, day, groupFilter, orNull, storeFilter } from '../routing/shapes.ts';

/* What requests for visitors have in common. */

export const storesQuery = { store: storeFilter, group: groupFilter };

/** Business days, both included; the present one by default. */
export const periodQuery = { from: day, to: day };

export const compareQuery = {
  compare: Type.Optional(
    Type.Enum([...comparisons], { description: 'previous, previous-month, previous-year, weekdays or year' }),
  ),
};

export const visitorsQuery = Type.Object({
  ...storesQuery,
  ...periodQuery,
  ...compareQuery,
  bucket: Type.Optional(
    Type.Enum(['hour', 'day', 'week', 'month'], { description: 'hour, day, week or month' }),
  ),
  weekStart: Type.Optional(
    Type.Enum(['monday', 'sunday', 'saturday'], { description: 'monday, sunday or saturday' }),
  ),
});

/** The visitors that may be compared with those of the compared period. */
export const comparableVisitors = orNull(
  count(
    'The visitors of only those stores and times that `before` has a number of: compare these. Null like `before`.',
  ),
);
/** The most hours or days of stores in one answer, and of one store, those of the compared period not included. */
const mostCells = 1_500_000;
const mostOfStore = 100_000;

/** Counts the visitors of stores of one company. `db` must be a snapshot. Throws `range_too_large`. */
export async function readVisitors(
  db: Db,
  stores: readonly StoreFacts[],
  requested: Omit<Request, 'kept' | 'todays'>,
): Promise<Series[]> {
  requireFew(stores, requested);
  return await readSeries(db, stores, requested);
}

/** Throws `range_too_large` for more than is counted in one answer. */
export function requireFew(
  stores: readonly StoreFacts[],
  { days, size, now }: Pick<Request, 'days' | 'size' | 'now'>,
): void {
  const cells = onceForEachCalendar((calendar) => aboutHowMany(calendar, days, size, now));
  const ofStores = stores.map(({ calendar }) => cells(calendar));
  if (ofStores.some((one) => one > mostOfStore)) throw rangeTooLarge(mostOfStore, `${size}s`);
  if (ofStores.reduce((total, one) => total + one, 0) > mostCells)
    throw rangeTooLarge(mostCells, `${size}s of all stores`);
}
