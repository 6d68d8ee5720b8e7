import { readCrossings } from '@visitor-counter/database/reading/crossings';
import type { Reader } from '@visitor-counter/database/reading/snapshot';
import type { Store } from '@visitor-counter/database/reading/stores';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import { occupancyCounter } from '@visitor-counter/domain/occupancy-counter';

export interface StoreToday {
  readonly occupancy: number;
  /** Epoch ms: the latest event of the business day, or its start when there is none. */
  readonly lastChange: number;
}

/** A store's business day so far. Events ahead of `now` (epoch ms), from a clock that is fast, wait for it. */
export async function storeToday(db: Reader, store: Store, now: number): Promise<StoreToday> {
  const { start } = businessDayOf(now, store.calendar);
  const occupancyAfter = occupancyCounter(store.calendar);
  let today: StoreToday = { occupancy: 0, lastChange: start };
  for await (const batch of readCrossings(db, store.id, start, now + 1)) {
    for (const row of batch) today = { occupancy: occupancyAfter(row), lastChange: row.at };
  }
  return today;
}
