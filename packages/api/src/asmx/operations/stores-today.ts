import { occupancies } from '@visitor-counter/database/occupancy/occupancies';
import type { Reader } from '@visitor-counter/database/sql/snapshot';
import type { Store } from '@visitor-counter/database/stores/stores';
import { type BusinessCalendar, businessDayOf } from '@visitor-counter/domain/business-day';
import { LatestEvents } from '../../formats/latest-events.ts';

/**
 * The latest event of each store's business day, or its start when there is none, and the people inside now. Events
 * ahead of `now` (epoch ms), from a clock that is fast, wait for it.
 */
export async function storesToday(db: Reader, stores: readonly Store[], now: number): Promise<LatestEvents> {
  const startOf = dayStarts(now);
  const days = stores.map((store) => ({ storeId: store.id, start: startOf(store) }));
  const found = await occupancies(db, days, now);
  const events = new LatestEvents(stores);
  for (const [index, { start }] of days.entries()) {
    const { occupancy = 0, latest = start } = found[index] ?? {};
    events.at[index] = latest;
    events.amount[index] = occupancy;
  }
  return events;
}

/** Most stores of a company share one calendar, and calendars are slow. */
function dayStarts(now: number): (store: Store) => number {
  const starts = new Map<BusinessCalendar, number>();
  return ({ calendar }) => {
    const start = starts.get(calendar) ?? businessDayOf(now, calendar).start;
    starts.set(calendar, start);
    return start;
  };
}
