import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { invalidDateRange, invalidParameter } from '../../problems/problems.ts';
import { type DateBound, endInstant, firstInstant, parseDateBound } from './date-bound.ts';

/** A range of time in a store: [`from`, `to`), epoch ms; empty where `to` is not behind `from`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Turns DateFrom and DateTo into a store's instants. */
export type RangeIn = (calendar: BusinessCalendar) => Range;

export interface DateValues {
  readonly DateFrom: string;
  readonly DateTo: string;
}

/** Reads DateFrom and DateTo. Throws `invalid_parameter` and, as far as it can be told now, `invalid_date_range`. */
export function dateRange({ DateFrom, DateTo }: DateValues): RangeIn {
  const from = dateBound('DateFrom', DateFrom);
  const to = dateBound('DateTo', DateTo);
  if (isReversed(from, to)) throw invalidDateRange();
  return (calendar) => ({ from: firstInstant(from, calendar), to: endInstant(to, calendar) });
}

function dateBound(name: keyof DateValues, text: string): DateBound {
  const bound = parseDateBound(text);
  if (bound === undefined) {
    throw invalidParameter(name, 'a date that exists, YYYY-MM-DD, or a date-time as in RFC 3339');
  }
  return bound;
}

/** What two bounds of one kind tell without any store. */
function isReversed(from: DateBound, to: DateBound): boolean {
  if (from.kind === 'date' && to.kind === 'date') return from.date > to.date;
  if (from.kind === 'local' && to.kind === 'local') return from.local > to.local;
  return from.kind === 'instant' && to.kind === 'instant' && from.instant > to.instant;
}

/**
 * Throws `invalid_date_range` for a range that ends before it begins in every one of some stores. In one of
 * several it may: its day begins later than the others', so it has no event in the range.
 */
export function requireOrder(ranges: readonly Range[]): void {
  if (ranges.length > 0 && ranges.every(({ from, to }) => from > to)) throw invalidDateRange();
}
