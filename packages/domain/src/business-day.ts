import { boundedInstant, isLocalTime } from './time.ts';
import { addDays, type IsoDate, instantOfLocal, localDateAt, offsetPeriodAt } from './time-zone.ts';

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
 * The instant (epoch ms) at which the business day `date` begins. If that local time occurs twice, the first;
 * if it does not exist, the next instant that does. So some days are shorter or longer than 24 hours. A `dayStartsAt` that is
 * no local time counts as 00:00.
 */
export function businessDayStart(date: IsoDate, { timeZone, dayStartsAt }: BusinessCalendar): number {
  const time = isLocalTime(dayStartsAt) ? dayStartsAt : '00:00';
  return instantOfLocal(`${date}T${time}`, timeZone, 'earlier');
}

/**
 * The business day that contains an instant (epoch ms); for an instant out of bounds, the day of the nearest bound.
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

/** The date of the first business day that begins at an instant (epoch ms) or later. */
export function firstWholeDay(instant: number, calendar: BusinessCalendar): IsoDate {
  const day = businessDayOf(instant, calendar);
  return day.start >= instant ? day.date : addDays(day.date, 1);
}

function businessDay(date: IsoDate, calendar: BusinessCalendar): BusinessDay {
  return {
    date,
    start: businessDayStart(date, calendar),
    end: businessDayStart(addDays(date, 1), calendar),
  };
}

/** ms */
const wholeDay = 24 * 3_600_000;

/**
 * When `count` business days in a row, from the date `first` on, begin (epoch ms), and when the last of them ends. Fast for
 * many days: while the offset of the zone does not change, each begins 24 hours after the one before.
 */
export function businessDayStarts(first: IsoDate, count: number, calendar: BusinessCalendar): number[] {
  const time = isLocalTime(calendar.dayStartsAt) ? calendar.dayStartsAt : '00:00';
  /* The local time of each start as if it were UTC, unless clocks skip it or go back over it. */
  const firstLocal = Date.parse(`${first}T${time}Z`);
  const starts: number[] = [];
  let period = { until: Number.NEGATIVE_INFINITY, offset: 0 };
  for (let n = 0; n <= count; n += 1) {
    const before = starts[n - 1] ?? 0;
    const next = before + wholeDay;
    const isUsual = before + period.offset === firstLocal + (n - 1) * wholeDay;
    if (isUsual && next < period.until) starts.push(next);
    else {
      const start = businessDayStart(addDays(first, n), calendar);
      period = offsetPeriodAt(start, calendar.timeZone);
      starts.push(start);
    }
  }
  return starts;
}

/** Returns the business day that contains an instant (epoch ms). */
export type BusinessDays = (instant: number) => BusinessDay;

/** Ten years. */
const mostCachedDays = 4_000;

/**
 * The business days of a calendar for many instants, mostly in order, of one store or of several stores after another:
 * each day is computed once.
 */
export function businessDays(calendar: BusinessCalendar): BusinessDays {
  const byStart = new Map<number, BusinessDay>();
  let latest: BusinessDay = { date: '', start: 0, end: Number.NEGATIVE_INFINITY };
  return (instant) => {
    if (contains(latest, instant)) return latest;
    const next = byStart.get(latest.end) ?? latest;
    latest = contains(next, instant) ? next : businessDayOf(instant, calendar);
    if (byStart.size >= mostCachedDays) byStart.clear();
    byStart.set(latest.start, latest);
    return latest;
  };
}

function contains({ start, end }: BusinessDay, instant: number): boolean {
  return instant >= start && instant < end;
}

/** Computes a value once for each calendar: most stores of a company share one, and calendars are slow. */
export function onceForEachCalendar<Value>(
  compute: (calendar: BusinessCalendar) => Value,
): (calendar: BusinessCalendar) => Value {
  const known = new Map<string, Value>();
  let last: { readonly calendar: BusinessCalendar; readonly value: Value } | undefined;
  return (calendar) => {
    if (last?.calendar === calendar) return last.value;
    const key = `${calendar.timeZone} ${calendar.dayStartsAt}`;
    const value = known.get(key) ?? compute(calendar);
    known.set(key, value);
    last = { calendar, value };
    return value;
  };
}
