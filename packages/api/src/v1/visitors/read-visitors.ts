import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import type { Request } from '@visitor-counter/database/visitors/plan';
import { readSeries, type Series } from '@visitor-counter/database/visitors/read-series';
import { periodOf } from '@visitor-counter/domain/buckets';
import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { lengthOf } from '@visitor-counter/domain/periods';
import type { Kysely } from 'kysely';
import { rangeTooLarge } from '../../problems/problems.ts';

/** The most hours or days of stores in one answer, and of one store, those of the compared period not included. */
const mostCells = 1_500_000;
const mostOfStore = 100_000;

/** Counts the visitors of stores of one company. `db` must be a snapshot. Throws `range_too_large`. */
export async function readVisitors(
  db: Kysely<unknown>,
  stores: readonly StoreFacts[],
  requested: Omit<Request, 'final' | 'todays'>,
): Promise<Series[]> {
  requireFew(stores, requested);
  return await readSeries(db, stores, requested);
}

/** Throws `range_too_large` for more than is counted in one answer. */
export function requireFew(
  stores: readonly StoreFacts[],
  { days, size, now }: Pick<Request, 'days' | 'size' | 'now'>,
): void {
  const cells = onceForEachCalendar(
    (calendar) => Math.max(0, lengthOf(periodOf(calendar, days, now))) * (size === 'hour' ? 24 : 1),
  );
  const ofStores = stores.map(({ calendar }) => cells(calendar));
  if (ofStores.some((one) => one > mostOfStore)) throw rangeTooLarge(mostOfStore, `${size}s`);
  if (ofStores.reduce((total, one) => total + one, 0) > mostCells)
    throw rangeTooLarge(mostCells, `${size}s of all stores`);
}
