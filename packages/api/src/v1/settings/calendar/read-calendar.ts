import { mostNote, type OpeningException } from '@visitor-counter/domain/opening-hours';
import { addDays, daysBetween, type IsoDate } from '@visitor-counter/domain/time-zone';
import ICAL from 'ical.js';
import {
  type Details,
  datesFrom,
  isoDate,
  localTimes,
  mergedSpans,
  spanOf,
  UnknownZone,
} from './local-times.ts';

/** The settings with which a calendar is read. */
export interface CalendarToRead {
  /** iCalendar (RFC 5545). */
  readonly text: string;
  /** Of the store. */
  readonly timeZone: string;
  readonly today: IsoDate;
  /** Whether every all-day event is a closed day, as in calendars of public holidays. */
  readonly allDayIsClosed: boolean;
}

/** Why an event is no exception. */
export const leftOutReasons = [
  'all-day-not-closed',
  'closed-with-times',
  'cancelled',
  'past',
  'too-late',
  'too-long',
  'too-often',
  'unknown-time-zone',
  'not-understood',
] as const;
type Reason = (typeof leftOutReasons)[number];

interface LeftOut {
  readonly summary: string;
  /** Of its first day; null if it has none that can be read. */
  readonly date: IsoDate | null;
  readonly reason: Reason;
}

/** The exceptions that a calendar declares, by date, and its events that declare none. */
export interface ReadCalendar {
  readonly exceptions: readonly OpeningException[];
  readonly leftOut: readonly LeftOut[];
}

/** Recurring events are expanded from today on for so many days; single ones may be so old. */
const daysAhead = 2 * 365;
const daysBack = 365;
/** Occurrences of an event from its beginning: every day for 50 years. */
const mostSteps = 20_000;

/** The words with which an event says that the store is closed. `\b` would not end a word after a letter with a mark. */
const closed =
  /(?<!\p{L})(closed|closure|geschlossen|ruhetag|cerrad[oa]s?|zaprt[oai]?|fermée?|chius[oa]|gesloten)(?!\p{L})/iu;

/**
 * Reads a calendar: an all-day event that says closed is closed dates, and a timed event is the hours of its date. The
 * title of an event is the note. Throws if the text is not iCalendar. It can take any time: see `importCalendar`.
 */
export function readCalendar(input: CalendarToRead): ReadCalendar {
  const components = [ICAL.parse(input.text)].flatMap((one) => (Array.isArray(one[0]) ? one : [one]));
  const leftOut: LeftOut[] = [];
  const found: Occurrence[] = [];
  for (const calendar of components.map((one) => new ICAL.Component(one))) {
    const { series = [], changed = [] } = Object.groupBy(calendar.getAllSubcomponents('vevent'), (one) =>
      one.hasProperty('recurrence-id') ? 'changed' : 'series',
    );
    const changedByUid = Map.groupBy(changed, uidOf);
    for (const component of series) {
      const event = new ICAL.Event(component, { exceptions: changedByUid.get(uidOf(component)) ?? [] });
      const expanded = expand(event, input);
      if ('reason' in expanded)
        leftOut.push({ summary: noteOf(event), date: dateOf(event), reason: expanded.reason });
      else found.push(...expanded.occurrences);
    }
  }
  return { exceptions: exceptionsOf(found), leftOut };
}

/** One date of an event: closed, or with hours. */
interface Occurrence {
  readonly date: IsoDate;
  readonly span: string | null;
  readonly note: string;
}

type Expanded = { readonly occurrences: readonly Occurrence[] } | { readonly reason: Reason };

function expand(event: ICAL.Event, input: CalendarToRead): Expanded {
  const { today } = input;
  const last = addDays(today, daysAhead);
  const occurrences: Occurrence[] = [];
  try {
    if (!event.isRecurring()) {
      const { startDate, endDate } = event;
      return withinRange(occurrencesOf({ item: event, startDate, endDate }, input), last);
    }
    if (isWithinDay(event)) return { reason: 'too-often' };
    const dates = event.iterator();
    const oldest = addDays(today, -Math.min(daysBack, 1 + daysOf(event)));
    let steps = 0;
    for (let next = dates.next(); next; next = dates.next()) {
      steps += 1;
      if (steps > mostSteps) return { reason: 'too-often' };
      if (isoDate(next) > last) break;
      if (isoDate(next) < oldest) continue;
      const one = occurrencesOf(event.getOccurrenceDetails(next), input);
      /* One date of a series may be cancelled. */
      if ('reason' in one && one.reason !== 'cancelled') return one;
      if ('occurrences' in one)
        occurrences.push(...one.occurrences.filter(({ date }) => date >= today && date <= last));
    }
    return occurrences.length > 0
      ? { occurrences }
      : { reason: isoDate(event.startDate) > last ? 'too-late' : 'past' };
  } catch (error) {
    return { reason: error instanceof UnknownZone ? 'unknown-time-zone' : 'not-understood' };
  }
}

/** Whether an event recurs within a day. */
function isWithinDay({ component }: ICAL.Event): boolean {
  return /FREQ=(SECOND|MINUTE|HOUR)LY/.test(String(component.getFirstPropertyValue('rrule')));
}

/** How many days an occurrence of an event is long. */
function daysOf({ startDate, endDate }: ICAL.Event): number {
  return Math.max(0, daysBetween(isoDate(startDate), isoDate(endDate)));
}

function withinRange(one: Expanded, last: IsoDate): Expanded {
  if ('reason' in one) return one;
  const [begin] = one.occurrences;
  if (begin === undefined) return { reason: 'past' };
  return begin.date > last ? { reason: 'too-late' } : one;
}

/** The dates of one occurrence that are not too old. */
function occurrencesOf(
  { item, startDate, endDate }: Details,
  { timeZone, today, allDayIsClosed }: CalendarToRead,
): Expanded {
  const [first, last] = [addDays(today, -daysBack), addDays(today, daysAhead)];
  const note = noteOf(item);
  if (item.component.getFirstPropertyValue('status') === 'CANCELLED') return { reason: 'cancelled' };
  const saysClosed = closed.test(`${note} ${categoriesOf(item)}`);
  if (startDate.isDate) {
    if (!saysClosed && !allDayIsClosed) return { reason: 'all-day-not-closed' };
    const begin = isoDate(startDate);
    if (begin > last) return { reason: 'too-late' };
    const dates = datesFrom(begin, Math.max(1, daysBetween(begin, isoDate(endDate))), first, last);
    return { occurrences: dates.map((date) => ({ date, span: null, note })) };
  }
  if (saysClosed) return { reason: 'closed-with-times' };
  const { start, end } = localTimes({ item, startDate, endDate }, timeZone);
  const span = spanOf(start, end);
  if (span === undefined) return { reason: 'too-long' };
  const date = start.slice(0, 10);
  return { occurrences: date < first ? [] : [{ date, span, note }] };
}

/** One exception for each date: where an event has hours, those count, else it is closed. */
function exceptionsOf(found: readonly Occurrence[]): OpeningException[] {
  return [...Map.groupBy(found, ({ date }) => date)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, some]) => {
      const open = mergedSpans(some.flatMap(({ span }) => span ?? []));
      const [note = ''] = some
        .filter(({ span }) => open.length === 0 || span !== null)
        .map((one) => one.note);
      return { date, open, ...(note !== '' && { note }) };
    });
}

function uidOf(event: ICAL.Component): string {
  return String(event.getFirstPropertyValue('uid'));
}

function dateOf(event: ICAL.Event): IsoDate | null {
  try {
    return isoDate(event.startDate);
  } catch {
    return null;
  }
}

function noteOf({ summary }: ICAL.Event): string {
  const text = String(summary ?? '').toWellFormed();
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, mostNote)
    .toWellFormed();
}

function categoriesOf({ component }: ICAL.Event): string {
  return component
    .getAllProperties('categories')
    .flatMap((property) => property.getValues())
    .join(' ');
}
