import { correctionsInForce } from '@visitor-counter/database/corrections/corrections-in-force';
import { onKysely } from '@visitor-counter/database/occupancy/run-statement';
import type { CrossingRow } from '@visitor-counter/database/reading/crossing-order';
import { readCrossings } from '@visitor-counter/database/reading/crossings';
import type { Reader } from '@visitor-counter/database/reading/snapshot';
import type { Store } from '@visitor-counter/database/reading/stores';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import type { Direction } from '@visitor-counter/domain/crossing';
import { occupancyCounter } from '@visitor-counter/domain/occupancy-counter';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Range } from '../parameters/date-range.ts';
import type { CountEvent } from './records.ts';

/** Which of a store's crossings become records; Amount does not depend on it. */
export interface EventFilter {
  readonly deviceId: number | undefined;
  readonly direction: Direction | undefined;
}

/**
 * A store's events in a range, each with the occupancy of the whole store after it. Reads from the start of
 * the business day that the range begins in, since that is where occupancy does.
 */
export async function* countEvents(
  db: Reader,
  store: Store,
  range: Range,
  filter: EventFilter,
): AsyncGenerator<CountEvent[]> {
  if (range.from === range.to) return;
  const { start } = businessDayOf(range.from, store.calendar);
  const [corrections] = await correctionsInForce(onKysely(db), [
    { storeId: store.id, from: start, to: range.to },
  ]);
  const occupancyAfter = occupancyCounter(store.calendar, corrections);
  const format = zonedFormatter(store.calendar.timeZone);
  for await (const batch of readCrossings(db, store.id, start, range.to)) {
    const events: CountEvent[] = [];
    for (const row of batch) {
      const Amount = occupancyAfter(row);
      if (row.at >= range.from && passes(filter, row)) {
        events.push({ DateTime: format(row.at), StoreName: store.name, Amount });
      }
    }
    yield events;
  }
}

function passes({ deviceId, direction }: EventFilter, row: CrossingRow): boolean {
  return (
    (deviceId === undefined || row.device_id === deviceId) &&
    (direction === undefined || row.direction === direction)
  );
}
