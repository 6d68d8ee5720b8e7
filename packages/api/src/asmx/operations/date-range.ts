import { type BusinessCalendar, businessDayStart } from '@visitor-counter/domain/business-day';
import {
  addDays,
  type IsoDate,
  type IsoLocalDateTime,
  instantOfLocal,
} from '@visitor-counter/domain/time-zone';
import { invalidParameter, reversedDates } from '../../problems/problems.ts';

/** A range of time in a store: [`from`, `to`), epoch ms; empty if `to` is not after `from`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Turns DateFrom and DateTo into a store's instants. */
export type RangeIn = (calendar: BusinessCalendar) => Range;

export interface DateValues {
  readonly DateFrom: string;
  readonly DateTo: string;
}

/**
 * Reads DateFrom and DateTo. Throws `invalid_parameter`, and `invalid_date_range` for bounds that are reversed in every
 * store.
 */
export function dateRange({ DateFrom, DateTo }: DateValues): RangeIn {
  const from = dateBound('DateFrom', DateFrom);
  const to = dateBound('DateTo', DateTo);
  if (isReversed(from, to)) throw reversedDates(DateFrom, DateTo);
  return (calendar) => ({ from: firstInstant(from, calendar), to: endInstant(to, calendar) });
}

function dateBound(name: keyof DateValues, text: string): DateBound {
  const bound = parseDateBound(text);
  if (bound === undefined) {
    throw invalidParameter(name, text, 'a date that exists, YYYY-MM-DD, or a date-time as in RFC 3339');
  }
  return bound;
}

/** Whether two bounds of one kind are reversed in every store. */
function isReversed(from: DateBound, to: DateBound): boolean {
  if (from.kind === 'date' && to.kind === 'date') return from.date > to.date;
  if (from.kind === 'local' && to.kind === 'local') return from.local > to.local;
  return from.kind === 'instant' && to.kind === 'instant' && from.instant > to.instant;
}

/**
 * Throws `invalid_date_range` for a range that ends before it begins in every one of some stores. One of several stores
 * may have such a range, because its day begins later; it has no event in the range.
 */
export function requireOrderInSome(ranges: readonly Range[], { DateFrom, DateTo }: DateValues): void {
  if (ranges.length > 0 && ranges.every(({ from, to }) => from > to)) throw reversedDates(DateFrom, DateTo);
}

/** DateFrom or DateTo as it was written; only a store's calendar turns some of them into an instant. */
type DateBound =
  | { readonly kind: 'date'; readonly date: IsoDate }
  | { readonly kind: 'local'; readonly local: IsoLocalDateTime }
  | { readonly kind: 'instant'; readonly instant: number };

const form =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?([Zz]|[+ -]([01]\d|2[0-3]):?([0-5]\d))?)?$/;

/**
 * Reads `YYYY-MM-DD` or a date-time, with or without offset, in the years 0001 to 9999; undefined for
 * everything else, dates that do not exist included.
 *
 * Seconds and their fraction may be left out; digits after the millisecond are ignored. A space in front
 * of an offset is read as `+`, which is what a form makes of a `+` that was sent unencoded.
 */
export function parseDateBound(text: string): DateBound | undefined {
  const match = form.exec(text);
  const date = match?.[1];
  if (!match || date === undefined || !exists(date)) return undefined;
  if (match[2] === undefined) return { kind: 'date', date };
  const fraction = (match[5] ?? '').padEnd(3, '0').slice(0, 3);
  const local = `${date}T${match[2]}:${match[3]}:${match[4] ?? '00'}.${fraction}`;
  if (match[6] === undefined) return { kind: 'local', local };
  return { kind: 'instant', instant: Date.parse(`${local}Z`) - offset(match) };
}

function exists(date: IsoDate): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !date.startsWith('0000') && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** What to subtract from the local time for UTC (ms). */
function offset([, , , , , , sign, hours, minutes]: RegExpExecArray): number {
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign?.startsWith('-') ? -size : size;
}

/** The first instant (epoch ms) of a range that begins at this bound, in a store. */
function firstInstant(bound: DateBound, calendar: BusinessCalendar): number {
  if (bound.kind === 'instant') return bound.instant;
  if (bound.kind === 'date') return businessDayStart(bound.date, calendar);
  return instantOfLocal(bound.local, calendar.timeZone, 'earlier');
}

/** The first instant (epoch ms) after a range that ends at this bound: a date includes its day. */
function endInstant(bound: DateBound, calendar: BusinessCalendar): number {
  if (bound.kind === 'instant') return bound.instant;
  if (bound.kind === 'date') return businessDayStart(addDays(bound.date, 1), calendar);
  return instantOfLocal(bound.local, calendar.timeZone, 'later');
}
