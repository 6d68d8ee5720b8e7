import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { businessDayStart } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';

/** From one instant to another, which is not included (epoch ms). */
interface Instants {
  readonly from: number;
  readonly to: number;
}

/** The business days of a store from `from` to `to`; without one of them all before, or after. */
export function instantsOf(
  { calendar }: StoreFacts,
  { from, to }: { readonly from?: string; readonly to?: string },
): Instants {
  return {
    from: from === undefined ? 0 : businessDayStart(from, calendar),
    to: to === undefined ? Number.POSITIVE_INFINITY : businessDayStart(addDays(to, 1), calendar),
  };
}

/** The shortest time that contains all of these. */
export function hull(ranges: readonly Instants[]): Instants {
  return {
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
}

export function isWithin(range: Instants | undefined, instant: number): boolean {
  return range !== undefined && instant >= range.from && instant < range.to;
}
