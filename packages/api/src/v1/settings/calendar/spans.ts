import { mostSpans, type TimeSpan } from '@visitor-counter/domain/opening-hours';
import { minutesOf } from '@visitor-counter/domain/read-opening-hours';
import { clockText } from '@visitor-counter/domain/time';
import { addDays, daysBetween, type IsoDate } from '@visitor-counter/domain/time-zone';

/** The span from one local date-time `YYYY-MM-DDTHH:MM` to another; undefined if it is empty or longer than a day. */
export function spanOf(start: string, end: string): TimeSpan | undefined {
  const [date, from] = [start.slice(0, 10), start.slice(11, 16)];
  const [endDate, to] = [end.slice(0, 10), end.slice(11, 16)];
  if (endDate === date) return from < to ? `${from}-${to}` : undefined;
  if (endDate !== addDays(date, 1)) return undefined;
  if (to === '00:00') return `${from}-24:00`;
  return to < from ? `${from}-${to}` : undefined;
}

/** Spans of one date without overlaps, in order; the last one takes what is more than a store may have. */
export function mergedSpans(spans: readonly TimeSpan[]): TimeSpan[] {
  const merged: { from: number; to: number }[] = [];
  for (const span of spans.map(minutesOf).toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && (span.from <= last.to || merged.length === mostSpans))
      last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged.map(({ from, to }) => {
    /* At most a day: a span has different times, unless it is the whole day. */
    const end = Math.min(to, from === 0 ? day : from + day - 1);
    return `${clockText(from)}-${end === day ? '24:00' : clockText(end % day)}`;
  });
}

/** The dates of an event of some days that are from `first` to `last`. */
export function datesFrom(begin: IsoDate, days: number, first: IsoDate, last: IsoDate): IsoDate[] {
  const skipped = Math.max(0, daysBetween(begin, first));
  const dates: IsoDate[] = [];
  for (let n = skipped, date = addDays(begin, n); n < days && date <= last; n += 1) {
    dates.push(date);
    date = addDays(date, 1);
  }
  return dates;
}

const day = 24 * 60;
