import { type BusinessCalendar, type BusinessDay, businessDayOf } from './business-day.ts';
import type { Crossing } from './crossing.ts';
import { occupancyAfter } from './occupancy.ts';

/**
 * Folds one store's crossings, given in order, into the occupancy after each of them, starting anew at
 * every business day. The crossings must begin at the start of a business day.
 */
export function occupancyCounter(calendar: BusinessCalendar): (crossing: Crossing) => number {
  let day: BusinessDay = { date: '', start: 0, end: Number.NEGATIVE_INFINITY };
  let occupancy = 0;
  return ({ at, direction }) => {
    if (at >= day.end) {
      day = businessDayOf(at, calendar);
      occupancy = 0;
    }
    occupancy = occupancyAfter(occupancy, direction);
    return occupancy;
  };
}
