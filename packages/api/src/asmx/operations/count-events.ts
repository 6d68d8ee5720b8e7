import type { CrossingColumns } from '@visitor-counter/database/crossings/crossings';
import { readCrossings, type StoreRange } from '@visitor-counter/database/crossings/crossings';
import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { Store } from '@visitor-counter/database/stores/stores';
import type { BusinessDays } from '@visitor-counter/domain/business-day';
import type { Direction } from '@visitor-counter/domain/crossing';
import type { Correction } from '@visitor-counter/domain/occupancy';
import { occupancyCounter } from '@visitor-counter/domain/occupancy';
import { EventColumns } from '../../formats/records.ts';

/** Which of a store's crossings become records; Amount does not depend on it. */
interface EventFilter {
  /** The journals of the requested device; undefined for all devices. */
  readonly journals: ReadonlySet<number> | undefined;
  readonly direction: Direction | undefined;
}

/**
 * The events of a store to read. `from` is the start of the business day that contains `since`, because occupancy
 * starts at 0 there.
 */
export interface EventRange extends StoreRange {
  readonly store: Store;
  /** Epoch ms. Earlier events change the occupancy, but are not in the answer. */
  readonly since: number;
  readonly dayOf: BusinessDays;
  /** From `from` to `to`, in the order in which they take effect. */
  readonly corrections: readonly Correction[];
}

/** The events of stores, one store after another, each with the occupancy of the whole store after it. */
export async function* countEvents(
  snapshot: Snapshot,
  ranges: readonly EventRange[],
  filter: EventFilter,
): AsyncGenerator<EventColumns, void> {
  const events = new EventColumns();
  let current: EventRange | undefined;
  let occupancyAfter: OccupancyAfter = () => 0;
  for await (const { range, crossings } of readCrossings(snapshot, ranges)) {
    if (range !== current) {
      current = range;
      occupancyAfter = occupancyCounter(range.dayOf, range.corrections);
      events.storeName = range.store.name;
      events.timeZone = range.store.calendar.timeZone;
    }
    events.clear(crossings.length);
    addEvents(events, crossings, occupancyAfter, { ...filter, since: range.since });
    yield events;
  }
}

type OccupancyAfter = ReturnType<typeof occupancyCounter>;

/** The loop over every crossing of an answer. */
function addEvents(
  events: EventColumns,
  crossings: CrossingColumns,
  occupancyAfter: OccupancyAfter,
  { since, journals, direction }: EventFilter & { readonly since: number },
): void {
  for (let index = 0; index < crossings.length; index += 1) {
    const at = crossings.at[index] ?? 0;
    const signed = crossings.signedJournal[index] ?? 0;
    const crossingDirection = signed > 0 ? 1 : -1;
    const amount = occupancyAfter(at, crossingDirection);
    const isRequested =
      at >= since &&
      (direction === undefined || direction === crossingDirection) &&
      (journals === undefined || journals.has(Math.abs(signed)));
    if (isRequested) events.add(at, amount);
  }
}
