import { addDays, type IsoDate, instantOfLocal, isDate, localDateAt } from './time-zone.ts';
import {
  type LocalTime,
  type ReadValue,
  readFields,
  readList,
  readWeek,
  type ValueProblem,
  type Weekday,
  weekdayOf,
} from './week.ts';

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

const spanPattern = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;
const spanExpected = 'a time span such as "09:00-12:30", which has different times';

/** Reads opening hours that somebody entered: spans and exceptions are sorted afterwards. */
export function readOpeningHours(value: unknown, path: string): ReadValue<OpeningHours> {
  const problems: ValueProblem[] = [];
  const fields = readFields(value, path, ['week', 'exceptions'], problems) ?? {};
  const week = readWeek(
    fields['week'],
    `${path}.week`,
    (day, where) => readSpans(day, where, problems),
    problems,
  );
  const bounds = { most: mostExceptions, of: 'exceptions' };
  const given = readList(fields['exceptions'] ?? [], `${path}.exceptions`, bounds, problems);
  const exceptions = given.flatMap(
    (one, index) => readException(one, `${path}.exceptions[${index}]`, problems) ?? [],
  );
  const dates = new Set<IsoDate>();
  for (const [index, { date }] of exceptions.entries()) {
    if (dates.has(date))
      problems.push({
        path: `${path}.exceptions[${index}].date`,
        value: date,
        expected: 'a date that is given once',
      });
    dates.add(date);
  }
  if (problems.length > 0) return { problems };
  return { value: { week, exceptions: exceptions.toSorted((a, b) => (a.date < b.date ? -1 : 1)) } };
}

function readException(value: unknown, path: string, problems: ValueProblem[]): OpeningException | undefined {
  const fields = readFields(value, path, ['date', 'open', 'note'], problems);
  if (fields === undefined) return undefined;
  const { date, open, note } = fields;
  if (typeof date !== 'string' || !isDate(date)) {
    problems.push({ path: `${path}.date`, value: date, expected: 'a date that exists, YYYY-MM-DD' });
    return undefined;
  }
  if (note !== undefined && !isNote(note))
    problems.push({ path: `${path}.note`, value: note, expected: `text of at most ${mostNote} characters` });
  const spans = readSpans(open, `${path}.open`, problems);
  return { date, open: spans, ...(typeof note === 'string' && note !== '' && { note }) };
}

/** PostgreSQL stores no NUL and no half of a surrogate pair. */
function isNote(note: unknown): boolean {
  return typeof note === 'string' && note.length <= mostNote && note.isWellFormed() && !/\p{Cc}/u.test(note);
}

function readSpans(value: unknown, path: string, problems: ValueProblem[]): TimeSpan[] {
  const given = readList(
    value,
    path,
    { most: mostSpans, of: 'time spans, empty for a closed day' },
    problems,
  );
  const spans: TimeSpan[] = [];
  for (const [index, span] of given.entries()) {
    const isSpan = typeof span === 'string' && spanPattern.test(span);
    if (isSpan && minutesOf(span).from < minutesOf(span).to) spans.push(span);
    else problems.push({ path: `${path}[${index}]`, value: span, expected: spanExpected });
  }
  const sorted = spans.toSorted((a, b) => minutesOf(a).from - minutesOf(b).from);
  for (const [index, span] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && minutesOf(next).from < minutesOf(span).to)
      problems.push({ path, value: next, expected: `time spans that do not overlap; ${span} does` });
  }
  return sorted;
}

/** Minutes since the midnight before the span; an end on the next day is later than 24:00. Equal times have no length. */
function minutesOf(span: TimeSpan): { readonly from: number; readonly to: number } {
  const [from, to] = [minuteOf(span.slice(0, 5)), minuteOf(span.slice(6))];
  return { from, to: to < from ? to + dayInMinutes : to };
}

const dayInMinutes = 24 * 60;

function minuteOf(time: LocalTime): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** When a store is open on a date, in order; a `to` that is not after `from` is on the next day. */
export function openIntervals(
  hours: OpeningHours,
  date: IsoDate,
): { readonly from: LocalTime; readonly to: LocalTime }[] {
  const spans = exceptionsOf(hours).get(date) ?? hours.week[weekdayOf(date)] ?? [];
  return spans.map((span) => ({ from: span.slice(0, 5), to: span.slice(6) }));
}

const exceptionsByHours = new WeakMap<OpeningHours, ReadonlyMap<IsoDate, readonly TimeSpan[]>>();

function exceptionsOf(hours: OpeningHours): ReadonlyMap<IsoDate, readonly TimeSpan[]> {
  const known = exceptionsByHours.get(hours);
  if (known !== undefined) return known;
  const found = new Map(hours.exceptions.map(({ date, open }) => [date, open]));
  exceptionsByHours.set(hours, found);
  return found;
}

/** A time in which a store is open: [`from`, `to`), epoch ms. */
export interface OpenTime {
  readonly from: number;
  readonly to: number;
}

interface Zone {
  readonly timeZone: string;
}

/**
 * When a store is open from one instant to another (epoch ms), in order, without overlaps and cut off at both. Where the
 * clocks are set back over a begin, the first of its two instants counts, and the second of an end. Without opening
 * hours, it is always open.
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

/** How far ahead the next opening is looked for (days). */
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

function timesOn(hours: OpeningHours, { timeZone }: Zone, date: IsoDate): OpenTime[] {
  return openIntervals(hours, date).map(({ from, to }) => {
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
