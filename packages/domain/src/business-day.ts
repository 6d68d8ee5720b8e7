import { boundedInstant } from './instant.ts';
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
 * first; where it does not exist, the next instant that does. Days are therefore 23 to 25 hours long. A `dayStartsAt`
 * that is no local time counts as 00:00.
 */
export function businessDayStart(date: IsoDate, { timeZone, dayStartsAt }: BusinessCalendar): number {
  const time = localTime.test(dayStartsAt) ? dayStartsAt : '00:00';
  return instantOfLocal(`${date}T${time}`, timeZone, 'earlier');
}

const localTime = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * The business day that an instant (epoch ms) belongs to; one out of bounds, to the day of the nearest bound.
 *
 * The local date alone does not decide it: before `dayStartsAt` it is the day before, and where clocks are
 * set back across the start of a day (St John's, 00:01 to 23:01) it is the day after.
 */
export function businessDayOf(at: number, calendar: BusinessCalendar): BusinessDay {
  const instant = boundedInstant(at);
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
