import type { Crossing, Direction } from '@visitor-counter/domain/crossing';
import { parseInstant } from '@visitor-counter/domain/time';
import { parseLocalInstant } from '@visitor-counter/domain/time-zone';
import { readCsv } from '../../formats/read-csv.ts';
import { invalidLines, invalidParameter, type LineError, wrongLength } from '../../problems/problems.ts';
import { fieldsIn, requireKnown, TextBody, textIn } from '../routing/values.ts';

/** A passage as it was sent: as text, empty if it is missing. `line` as in LineError. */
interface GivenPassage {
  readonly line: number;
  readonly at: string;
  readonly direction: string;
}

export const mostPassages = 2_000;

const passagesExpected = `a list of 1 to ${mostPassages} passages, or CSV with as many lines`;

/** How long an audit may last (ms). */
const longest = 12 * 60 * 60_000;

/** Clocks of phones differ (ms). */
const ahead = 30_000;

export const expected = {
  at: 'an RFC 3339 date-time such as 2026-11-20T10:00:00.5+01:00, or without offset in the time of the store, from 1970 on and not ahead of now',
  direction: 'in or out',
  range: 'within 12 hours of the first passage',
} as const;

/** The fields of an audit, of JSON or of the query, and its passages, which are a list of JSON, CSV in JSON, or CSV. */
export function givenAudit(
  sent: unknown,
  query: object,
): { fields: object; passages: readonly GivenPassage[] } {
  if (sent instanceof TextBody) return { fields: query, passages: bounded(ofCsv(sent)) };
  const { passages, ...fields } = fieldsIn(sent);
  if (typeof passages === 'string') {
    return givenAudit(new TextBody('text/csv', passages), { ...query, ...fields });
  }
  if (!Array.isArray(passages)) throw invalidParameter('passages', passages, passagesExpected);
  return { fields: { ...query, ...fields }, passages: bounded(passages.map(ofJson)) };
}

function bounded(passages: readonly GivenPassage[]): readonly GivenPassage[] {
  if (passages.length === 0 || passages.length > mostPassages) {
    throw wrongLength('passages', passages, passagesExpected);
  }
  return passages;
}

function ofJson(item: unknown, index: number): GivenPassage {
  requireKnown(item, ['at', 'direction'], `passages[${index}].`);
  return { line: index + 1, at: textIn(item, 'at'), direction: textIn(item, 'direction') };
}

/** Lines of an instant and a direction; a header line, which names them `at` and `direction`, may be left out. */
function ofCsv({ text }: TextBody): GivenPassage[] {
  const { lines } = readCsv(text);
  const names = lines[0]?.values.map((name) => name.trim().toLowerCase()) ?? [];
  const hasHeader = names.includes('at') && names.includes('direction');
  const [at, direction] = hasHeader ? [names.indexOf('at'), names.indexOf('direction')] : [0, 1];
  return lines.slice(hasHeader ? 1 : 0).map(({ line, values }) => ({
    line,
    at: values[at]?.trim() ?? '',
    direction: values[direction]?.trim() ?? '',
  }));
}

/** The passages in order of time. Throws `invalid_lines` with every mistake in them. */
export function checkedPassages(
  given: readonly GivenPassage[],
  { timeZone, now }: { readonly timeZone: string; readonly now: number },
): readonly Crossing[] {
  const errors: LineError[] = [];
  const passages = given.flatMap((one): (Crossing & { readonly line: number })[] => {
    const at = instantOf(one.at, timeZone);
    const direction = directionOf(one.direction);
    const isPossible = at !== undefined && at >= 0 && at <= now + ahead;
    if (!isPossible) errors.push(lineError(one, 'at', expected.at));
    if (direction === undefined) errors.push(lineError(one, 'direction', expected.direction));
    return isPossible && direction !== undefined ? [{ line: one.line, at, direction }] : [];
  });
  const first = passages.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
  const tooLate = new Set(passages.filter(({ at }) => at > first + longest).map(({ line }) => line));
  for (const one of given) if (tooLate.has(one.line)) errors.push(lineError(one, 'at', expected.range));
  if (errors.length > 0) throw invalidLines(errors);
  return passages.map(({ at, direction }) => ({ at, direction })).sort((a, b) => a.at - b.at);
}

function lineError(one: GivenPassage, field: 'at' | 'direction', why: string): LineError {
  return { line: one.line, field, value: one[field], expected: why };
}

function directionOf(text: string): Direction | undefined {
  if (/^(in|\+?1)$/i.test(text)) return 1;
  return /^(out|-1)$/i.test(text) ? -1 : undefined;
}

const local = /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?$/;

/** Without offset the text is local time; of a time that occurs twice the first. */
function instantOf(text: string, timeZone: string): number | undefined {
  return local.test(text) ? parseLocalInstant(text, timeZone) : parseInstant(text);
}
