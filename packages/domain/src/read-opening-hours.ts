import { isPrintable } from './name-key.ts';
import {
  mostExceptions,
  mostNote,
  mostSpans,
  type OpeningException,
  type OpeningHours,
  type TimeSpan,
} from './opening-hours.ts';
import { type ReadValue, readFields, readList, type ValueProblem } from './read-value.ts';
import type { LocalTime } from './time.ts';
import { dateExpected, type IsoDate, isDate } from './time-zone.ts';
import { readWeek } from './week.ts';

const spanPattern = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;
const spanExpected = 'a time span such as "09:00-12:30", which has different times';

/** Reads opening hours that a person entered, and sorts spans and exceptions. */
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
    problems.push({ path: `${path}.date`, value: date, expected: dateExpected });
    return undefined;
  }
  if (note !== undefined && !isNote(note))
    problems.push({ path: `${path}.note`, value: note, expected: `text of at most ${mostNote} characters` });
  const spans = readSpans(open, `${path}.open`, problems);
  return { date, open: spans, ...(typeof note === 'string' && note !== '' && { note }) };
}

function isNote(note: unknown): boolean {
  return typeof note === 'string' && note.length <= mostNote && isPrintable(note);
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
export function minutesOf(span: TimeSpan): { readonly from: number; readonly to: number } {
  const [from, to] = [minuteOf(span.slice(0, 5)), minuteOf(span.slice(6))];
  return { from, to: to < from ? to + dayInMinutes : to };
}

const dayInMinutes = 24 * 60;

function minuteOf(time: LocalTime): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
