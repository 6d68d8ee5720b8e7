import { occupancies } from '@visitor-counter/database/reading/occupancies';
import type { SettledDays } from '@visitor-counter/database/reading/settled-days';
import type { Reader } from '@visitor-counter/database/reading/snapshot';
import type { Store } from '@visitor-counter/database/reading/stores';
import { businessDayOf } from '@visitor-counter/domain/business-day';

export interface StoreToday {
  readonly store: Store;
  readonly occupancy: number;
  /** Epoch ms: the latest event of the business day, or its start when there is none. */
  readonly lastChange: number;
}

/** The business day so far of stores. Events ahead of `now` (epoch ms), from a clock that is fast, wait for it. */
export async function storesToday(
  db: Reader,
  stores: readonly Store[],
  now: number,
  settled: SettledDays,
): Promise<StoreToday[]> {
  const startOf = dayStarts(now);
  const days = stores.map((store) => ({ storeId: store.id, start: startOf(store) }));
  const found = await occupancies(db, days, now, settled);
  return stores.map((store, index) => ({
    store,
    occupancy: found[index]?.occupancy ?? 0,
    lastChange: found[index]?.latest ?? startOf(store),
  }));
}

/** Most stores of a company share one calendar, and calendars are slow. */
function dayStarts(now: number): (store: Store) => number {
  const starts = new Map<string, number>();
  return ({ calendar }) => {
    const key = `${calendar.timeZone} ${calendar.dayStartsAt}`;
    const start = starts.get(key) ?? businessDayOf(now, calendar).start;
    starts.set(key, start);
    return start;
  };
}
