import { isDate, type Range, type View } from '../../parts/address.ts';
import { plusDays } from '../../text/dates.ts';

export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The business days of a range, both included; `today` is the present one of the store. */
export function daysOf(range: Range, today: string): Days {
  if (typeof range === 'object') return range;
  if (!isDate(today)) return { from: today, to: today };
  const yesterday = plusDays(today, -1);
  return {
    today: { from: today, to: today },
    yesterday: { from: yesterday, to: yesterday },
    '7d': { from: plusDays(today, -6), to: today },
    '4w': { from: plusDays(today, -27), to: today },
    month: { from: `${today.slice(0, 8)}01`, to: today },
    year: { from: `${today.slice(0, 5)}01-01`, to: today },
  }[range];
}

/**
 * What the days of a view are compared with, as the server is asked: the month and the year up to today always with the one
 * before, also in January, when both have the same days, and on the first day.
 */
export function compareOf({ range, compare }: View): string {
  const isCalendar = range === 'month' || range === 'year';
  return isCalendar && compare === 'previous' ? `previous-${range}` : compare;
}

/** The days of which the hours of the week are averages: those of the range, or four weeks if it is less than a week. */
export function weeksOf({ from, to }: Days): Days {
  return from <= plusDays(to, -6) ? { from, to } : { from: plusDays(to, -27), to };
}
