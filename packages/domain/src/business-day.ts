import { addDays, type IsoDate, instantOfLocal, localDateAt } from './time-zone.ts';

/** When a store's day begins: an IANA zone and a local time `HH:MM`. */
export interface BusinessCalendar {
  readonly timeZone: string;
  readonly dayStartsAt: string;
}

/** A business day: its date and its instants [`start`, `end`) in epoch ms. */
export interface BusinessDay {
  readonly date: IsoDate;
  readonly start: number;
  readonly end: number;
}

/**
 * The instant (epoch ms) at which the business day `date` begins. Where that local time occurs twice, the
 * first; where it does not exist, the next instant that does. Days are therefore 23 to 25 hours long.
 */
export function businessDayStart(date: IsoDate, calendar: BusinessCalendar): number {
  return instantOfLocal(`${date}T${calendar.dayStartsAt}`, calendar.timeZone, 'earlier');
}

/**
 * The business day that an instant (epoch ms) belongs to.
 *
 * The local date alone does not decide it: before `dayStartsAt` it is the day before, and where clocks are
 * set back across the start of a day (St John's, 00:01 to 23:01) it is the day after.
 */
export function businessDayOf(instant: number, calendar: BusinessCalendar): BusinessDay {
  const localDate = localDateAt(instant, calendar.timeZone);
  const day = businessDay(localDate, calendar);
  if (instant < day.start) return businessDay(addDays(localDate, -1), calendar);
  if (instant >= day.end) return businessDay(addDays(localDate, 1), calendar);
  return day;
}

function businessDay(date: IsoDate, calendar: BusinessCalendar): BusinessDay {
  return {
    date,
    start: businessDayStart(date, calendar),
    end: businessDayStart(addDays(date, 1), calendar),
  };
}
