import { mostSpans, type TimeSpan } from '@visitor-counter/domain/opening-hours';
import { minutesOf } from '@visitor-counter/domain/read-opening-hours';
import { clockText, twoDigits } from '@visitor-counter/domain/time';
import {
  addDays,
  daysBetween,
  type IsoDate,
  instantOfWallClock,
  isTimeZone,
} from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import ICAL from 'ical.js';

/** An event has times in a zone that neither this runtime knows nor its calendar describes. */
export class UnknownZone extends Error {
  override readonly name = 'UnknownZone';
}

/** An occurrence of an event. */
export type Details = Pick<ReturnType<ICAL.Event['getOccurrenceDetails']>, 'item' | 'startDate' | 'endDate'>;

/** The begin and the end of an occurrence in the zone of the store, `YYYY-MM-DDTHH:MM`. */
export function localTimes(
  { item, startDate, endDate }: Details,
  timeZone: string,
): { readonly start: string; readonly end: string } {
  const startZone = zoneOf(item, 'dtstart');
  const endZone = zoneOf(item, 'dtend') ?? startZone;
  return {
    start: localTime(startDate, startZone, item, timeZone),
    end: localTime(endDate, endZone, item, timeZone),
  };
}

function zoneOf({ component }: ICAL.Event, name: string): string | undefined {
  const zone = component.getFirstProperty(name)?.getParameter('tzid');
  return typeof zone === 'string' ? zone : undefined;
}

/** A time without a zone is already one of the store. */
function localTime(
  time: ICAL.Time,
  zone: string | undefined,
  { component }: ICAL.Event,
  timeZone: string,
): string {
  const local = wallClock(time);
  if (time.zone === ICAL.Timezone.utcTimezone) return inZone(Date.parse(`${local}Z`), timeZone);
  if (zone === undefined || zone === timeZone) return local;
  if (isTimeZone(zone)) return inZone(instantOfWallClock(local, zone), timeZone);
  const described = component.getTimeZoneByID(zone);
  if (described === null) throw new UnknownZone(zone);
  const there = time.clone();
  there.zone = described;
  return inZone(there.toUnixTime() * 1_000, timeZone);
}

function wallClock(time: ICAL.Time): string {
  return `${isoDate(time)}T${twoDigits(time.hour)}:${twoDigits(time.minute)}`;
}

/** The date of a time in its own zone. */
export function isoDate({ year, month, day }: ICAL.Time): IsoDate {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function inZone(instant: number, timeZone: string): string {
  return zonedFormatter(timeZone)(instant).slice(0, 16);
}

/** The span from one local date-time `YYYY-MM-DDTHH:MM` to another; undefined if it is empty or longer than a day. */
export function spanOf(start: string, end: string): TimeSpan | undefined {
  const [date, from] = [start.slice(0, 10), start.slice(11, 16)];
  const [endDate, to] = [end.slice(0, 10), end.slice(11, 16)];
  if (endDate === date) return from < to ? `${from}-${to}` : undefined;
  if (endDate !== addDays(date, 1)) return undefined;
  if (to === '00:00') return `${from}-24:00`;
  return to < from ? `${from}-${to}` : undefined;
}

/** Minutes. */
const day = 24 * 60;

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
