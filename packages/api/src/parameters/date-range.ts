import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { invalidDateRange, invalidParameter } from '../problems.ts';
import { type DateBound, endInstant, firstInstant, parseDateBound } from './date-bound.ts';

/** A range of time in a store: [`from`, `to`), epoch ms. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Turns DateFrom and DateTo into a store's instants. Throws `invalid_date_range`. */
export type RangeIn = (calendar: BusinessCalendar) => Range;

export interface DateValues {
  readonly DateFrom: string;
  readonly DateTo: string;
}

/** Reads DateFrom and DateTo. Throws `invalid_parameter` and, as far as it can be told now, `invalid_date_range`. */
export function dateRange({ DateFrom, DateTo }: DateValues): RangeIn {
  const from = dateBound('DateFrom', DateFrom);
  const to = dateBound('DateTo', DateTo);
  if (from.kind === 'date' && to.kind === 'date' && from.date > to.date) throw invalidDateRange();
  if (from.kind === 'instant' && to.kind === 'instant') inOrder(from.instant, to.instant);
  return (calendar) => inOrder(firstInstant(from, calendar), endInstant(to, calendar));
}

function dateBound(name: keyof DateValues, text: string): DateBound {
  const bound = parseDateBound(text);
  if (bound === undefined) {
    throw invalidParameter(name, 'a date that exists, YYYY-MM-DD, or a date-time as in RFC 3339');
  }
  return bound;
}

function inOrder(from: number, to: number): Range {
  if (from > to) throw invalidDateRange();
  return { from, to };
}
