import { addDays, type IsoDate, instantOfLocal, localDateAt } from './time-zone.ts';
import { type Weekday, weekdayOf } from './week.ts';

/*
 * When a store is open. Closed hours are left out of averages, and visitors then are worth an alert. A store without
 * opening hours is always open.
 */

/**
 * Local times `HH:MM-HH:MM`. An end that is not after the begin is on the next day: `20:00-02:00` belongs to the day on
 * which it begins. A whole day is `00:00-24:00`.
 */
export type TimeSpan = string;

export interface OpeningHours {
  /** By calendar day; a day that is left out is closed. */
  readonly week: Readonly<Partial<Record<Weekday, readonly TimeSpan[]>>>;
  /** Dates with other hours, in order; closed if there are none. */
  readonly exceptions: readonly OpeningException[];
}

export interface OpeningException {
  readonly date: IsoDate;
  readonly open: readonly TimeSpan[];
  readonly note?: string;
}

/** Bounds of what a store may have. */
export const mostSpans = 6;
export const mostExceptions = 1_000;
export const mostNote = 100;

/** A time in which a store is open: [`from`, `to`), epoch ms. */
export interface OpenTime {
  readonly from: number;
  readonly to: number;
}

interface Zone {
  readonly timeZone: string;
}

/**
 * When a store is open from one instant to another (epoch ms), in order, without overlaps and cut off at both. If clocks are
 * set back over the begin of an open time, it begins at the first of the two instants; over its end, it ends at the second.
 * Without opening hours, the store is always open.
 */
export function openBetween(hours: OpeningHours | null, zone: Zone, from: number, to: number): OpenTime[] {
  if (to <= from) return [];
  if (hours === null) return [{ from, to }];
  const found: OpenTime[] = [];
  const last = localDateAt(to - 1, zone.timeZone);
  for (let date = addDays(localDateAt(from, zone.timeZone), -1); date <= last; date = addDays(date, 1)) {
    for (const time of timesOn(hours, zone, date)) {
      const clipped = { from: Math.max(time.from, from), to: Math.min(time.to, to) };
      if (clipped.to <= clipped.from) continue;
      const before = found.at(-1);
      if (before === undefined || before.to < clipped.from) found.push(clipped);
      else found[found.length - 1] = { from: before.from, to: Math.max(before.to, clipped.to) };
    }
  }
  return found;
}

/** Whether a store is open at an instant (epoch ms); always without opening hours. */
export function isOpenAt(hours: OpeningHours | null, zone: Zone, at: number): boolean {
  return openBetween(hours, zone, at, at + 1).length > 0;
}

/** How far ahead the next opening is searched for (days). */
const mostDaysAhead = 366;

/** The instant (epoch ms) at which a store that is closed at `at` opens next; undefined if it does not within a year. */
export function nextOpening(hours: OpeningHours, zone: Zone, at: number): number | undefined {
  const today = localDateAt(at, zone.timeZone);
  for (let day = 0; day <= mostDaysAhead; day += 1) {
    const next = timesOn(hours, zone, addDays(today, day)).find(({ from }) => from > at);
    if (next !== undefined) return next.from;
  }
  return undefined;
}

/** When a store opens and closes on a date (epoch ms), in order; a time may end on the next day. */
export function timesOn(hours: OpeningHours, { timeZone }: Zone, date: IsoDate): OpenTime[] {
  const exception = hours.exceptions.find((one) => one.date === date);
  const spans = exception?.open ?? hours.week[weekdayOf(date)] ?? [];
  return spans.map((span) => {
    const [from, to] = [span.slice(0, 5), span.slice(6)];
    const isNextDay = to === '24:00' || to < from;
    const end = `${isNextDay ? addDays(date, 1) : date}T${to === '24:00' ? '00:00' : to}`;
    return { from: instantOf(`${date}T${from}`, timeZone, 'earlier'), to: instantOf(end, timeZone, 'later') };
  });
}

/** Most stores share zones and hours, and computing an instant takes some microseconds. */
const instants = new Map<string, number>();
const mostInstants = 50_000;

function instantOf(local: string, timeZone: string, overlap: 'earlier' | 'later'): number {
  const key = `${local} ${overlap} ${timeZone}`;
  const known = instants.get(key);
  if (known !== undefined) return known;
  if (instants.size >= mostInstants) instants.clear();
  const instant = instantOfLocal(local, timeZone, overlap);
  instants.set(key, instant);
  return instant;
}
