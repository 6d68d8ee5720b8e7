import { Temporal } from 'temporal-polyfill';
import { addDays, dayOfWeek, daysBetween, type IsoDate } from './time-zone.ts';

/** Business days, both included. */
export interface Period {
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/**
 * The comparison of a period: with the period just before it, the same dates of the month or year before, the same weekdays
 * before it, or the same weekdays of the year before.
 */
export const comparisons = ['previous', 'previous-month', 'previous-year', 'weekdays', 'year'] as const;
export type Comparison = (typeof comparisons)[number];

export interface ComparedPeriod extends Period {
  /** The day with which a day of the period is compared; undefined if there is none, such as 31 June. */
  counterpart(date: IsoDate): IsoDate | undefined;
}

export type PeriodBucket = 'hour' | 'day' | 'week' | 'month';

/** The first day of a week. */
export type WeekStart = 'monday' | 'sunday' | 'saturday';

/** How many days a period has. */
export function lengthOf({ from, to }: Period): number {
  return daysBetween(from, to) + 1;
}

/** The bucket in which a period is shown by default. */
export function usualBucket(period: Period): PeriodBucket {
  const length = lengthOf(period);
  if (length <= 2) return 'hour';
  if (length <= 92) return 'day';
  return length <= 366 ? 'week' : 'month';
}

/**
 * The period with which another one is compared; `today` is the present business day.
 *
 * - `previous`: a calendar month, or a month up to today, with the month before, day by day; a calendar year likewise; any
 *   other period, or a single day, with as many days just before it.
 * - `previous-month`, `previous-year`: the same dates of the month or year before. `previous` cannot distinguish a part of
 *   January from a part of a year, nor the first of a month from a single day.
 * - `weekdays`: moved back by the fewest whole weeks that do not overlap.
 * - `week`, `year`: moved back by one week, or by 52.
 */
export function comparedPeriod(
  period: Period,
  comparison: Comparison | 'week',
  today: IsoDate,
): ComparedPeriod {
  if (comparison === 'week') return movedBack(period, 7);
  if (comparison === 'year') return movedBack(period, 364);
  if (comparison === 'weekdays') return movedBack(period, 7 * Math.ceil(lengthOf(period) / 7));
  if (comparison === 'previous-month') return calendarPeriodBefore(period, { months: 1 });
  if (comparison === 'previous-year') return calendarPeriodBefore(period, { years: 1 });
  if (isWholeOrToDate(period, today, 'month')) return calendarPeriodBefore(period, { months: 1 });
  if (isWholeOrToDate(period, today, 'year')) return calendarPeriodBefore(period, { years: 1 });
  return movedBack(period, lengthOf(period));
}

function movedBack({ from, to }: Period, days: number): ComparedPeriod {
  const counterpart = (date: IsoDate) => addDays(date, -days);
  return { from: counterpart(from), to: counterpart(to), counterpart };
}

function isWholeOrToDate({ from, to }: Period, today: IsoDate, unit: 'month' | 'year'): boolean {
  const first = firstOf(from, unit);
  return (
    from === first &&
    from < to &&
    (to === lastOf(from, unit) || (to === today && firstOf(to, unit) === first))
  );
}

/** The month or year before: all of it if the period is a whole one, otherwise up to the same day. */
function calendarPeriodBefore(
  { from, to }: Period,
  back: { readonly months: 1 } | { readonly years: 1 },
): ComparedPeriod {
  const unit = 'months' in back ? 'month' : 'year';
  const moved = (date: IsoDate) => Temporal.PlainDate.from(date).subtract(back);
  const counterpart = (date: IsoDate) => {
    const found = moved(date);
    return found.day === Temporal.PlainDate.from(date).day ? found.toString() : undefined;
  };
  const first = moved(from).toString();
  const last = to === lastOf(from, unit) ? lastOf(first, unit) : moved(to).toString();
  return { from: first, to: last, counterpart };
}

/** The first day of the week that contains a date. */
export function firstOfWeek(date: IsoDate, start: WeekStart): IsoDate {
  const first = { monday: 1, sunday: 7, saturday: 6 }[start];
  return addDays(date, -((dayOfWeek(date) - first + 7) % 7));
}

/** The first day of the month, or of the year, that contains a date. */
export function firstOf(date: IsoDate, unit: 'month' | 'year'): IsoDate {
  return unit === 'month' ? `${date.slice(0, 7)}-01` : `${date.slice(0, 4)}-01-01`;
}

function lastOf(date: IsoDate, unit: 'month' | 'year'): IsoDate {
  const next = Temporal.PlainDate.from(firstOf(date, unit)).add(
    unit === 'month' ? { months: 1 } : { years: 1 },
  );
  return next.subtract({ days: 1 }).toString();
}
