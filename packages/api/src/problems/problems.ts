import { type ProblemCode, type ProblemRow, problemTable, retryAfter } from './problem-table.ts';

/** RFC 9457 problem details, as every error of the interface is written. */
export interface ProblemRecord {
  readonly type: string;
  readonly title: string;
  /** Equal to the HTTP status of the answer. */
  readonly status: number;
  /** Stable: programs should use this field. */
  readonly code: ProblemCode;
  readonly detail: string;
  readonly parameter?: string;
  /** Of `invalid_lines`. */
  readonly errors?: readonly LineError[];
}

/** What is wrong in one line of a list that the caller has sent. */
export interface LineError {
  /** Of CSV, the header being line 1; of JSON the position of the item, from 1. */
  readonly line: number;
  readonly field: string;
  /** As it was sent, cut after 100 characters. */
  readonly value: string;
  /** Ends the sentence "<field> must be …". */
  readonly expected: string;
}

/** An error that is an answer: what the caller may know, and nothing else. `more` completes the row of the table. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly record: ProblemRecord;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    more: Pick<ProblemRow, 'detail' | 'parameter' | 'headers'> & Pick<ProblemRecord, 'errors'> = {},
  ) {
    const words = code.replaceAll('_', ' ');
    const row: typeof more & ProblemRow = {
      title: words.charAt(0).toUpperCase() + words.slice(1),
      ...problemTable[code],
      ...more,
    };
    const { status, title = '', detail = '', headers = {}, parameter, errors } = row;
    super(detail);
    this.code = code;
    const type = `urn:visitor-counter:problem:${code}`;
    this.record = {
      type,
      title,
      status,
      code,
      detail,
      ...(parameter && { parameter }),
      ...(errors && { errors }),
    };
    this.headers = headers;
  }
}

export function missingParameter(parameter: string): Problem {
  return new Problem('missing_parameter', {
    detail: `${parameter} is required and is missing or empty.`,
    parameter,
  });
}

/** `spelling` is how it was written the second time. */
export function duplicateParameter(parameter: string, spelling = parameter): Problem {
  const again = spelling === parameter ? '' : `, also as ${spelling}`;
  const detail = `${parameter} is given more than once${again}.`;
  return new Problem('duplicate_parameter', { detail, parameter });
}

/** A value that was sent and that an error may not repeat, because it is a credential. */
export const secret = Symbol('secret');

/** `invalid_parameter` for a value, which is not repeated if its schema is that of a secret. */
export function invalidValue(parameter: string, schema: unknown, value: unknown, expected: string): Problem {
  const isSecret = typeof schema === 'object' && schema !== null && 'writeOnly' in schema;
  return invalidParameter(parameter, isSecret ? secret : value, expected);
}

/** `expected` ends the sentence "<parameter> is <given>, and must be …". */
export function invalidParameter(parameter: string, given: unknown, expected: string): Problem {
  const detail =
    given === secret
      ? `${parameter} must be ${expected}.`
      : `${parameter} is ${shown(given)}, and must be ${expected}.`;
  return new Problem('invalid_parameter', { detail, parameter });
}

/** A parameter or a field that does not exist; `known` are those that do. */
export function unknownName(path: string, known: readonly string[]): Problem {
  const parameter = cut(path);
  const hint = known.length === 0 ? 'None is known here.' : `Known are ${known.join(', ')}.`;
  return new Problem('invalid_parameter', { detail: `${parameter} is unknown. ${hint}`, parameter });
}

/** A list that is too short or too long. `expected` as in `invalidParameter`. */
export function wrongLength(parameter: string, { length }: readonly unknown[], expected: string): Problem {
  const detail = `${parameter} has ${length} items, and must be ${expected}.`;
  return new Problem('invalid_parameter', { detail, parameter });
}

/** DateFrom and DateTo, as they were sent, are reversed. */
export function reversedDates(from: string, to: string): Problem {
  const detail = `DateFrom is ${shown(from)}, and must not be after DateTo, which is ${shown(to)}.`;
  return new Problem('invalid_date_range', { detail });
}

/** The most of a value that an error repeats (characters). */
const mostShown = 100;

/** A value as an error repeats it. */
function shown(given: unknown): string {
  return cut(JSON.stringify(given) ?? 'missing');
}

function cut(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

export function malformedBody(detail: string): Problem {
  return new Problem('malformed_body', { detail });
}

/** The most mistakes that one answer names. */
const mostErrors = 100;

/** Lines that cannot be used; nothing was stored. Their values may be longer than an error repeats them. */
export function invalidLines(errors: readonly LineError[]): Problem {
  const shortened = errors
    .slice(0, mostErrors)
    .map((error) => ({ ...error, value: error.value.slice(0, mostShown) }));
  const [{ line, field, value, expected } = { line: 0, field: '', value: '', expected: '' }] = shortened;
  const lines = new Set(errors.map((error) => error.line)).size;
  const others = lines > 1 ? ` ${lines} lines cannot be used.` : '';
  const detail = `Line ${line}: ${field} is ${JSON.stringify(value)}, and must be ${expected}.${others} Nothing was stored.`;
  return new Problem('invalid_lines', { detail, errors: shortened });
}

/** `counted` is what there are too many of, such as `days`. */
export function rangeTooLarge(most: number, counted: string): Problem {
  const detail = `An answer has at most ${most} ${counted}. Ask for fewer days or stores, or larger buckets.`;
  return new Problem('range_too_large', { detail });
}

export function fileTooLarge(items: number): Problem {
  const detail = `A file has at most ${items} items. Ask for fewer days or stores, or read the list page by page.`;
  return new Problem('range_too_large', { detail });
}

export function forbidden(kinds: readonly string[]): Problem {
  return new Problem('forbidden', { detail: `This needs a credential of kind ${kinds.join(' or ')}.` });
}

/** Without the given value, so that the answer about a store of another company is the same. */
export function unknownResource(
  resource: 'store' | 'group' | 'correction' | 'device' | 'passage' | 'report',
  parameter: string,
): Problem {
  const detail = `${parameter} names no ${resource} that the caller may see.`;
  return new Problem(`unknown_${resource}`, { detail, parameter });
}

export function methodNotAllowed(allow: string): Problem {
  return new Problem('method_not_allowed', {
    detail: `This path answers ${allow} only.`,
    headers: { allow },
  });
}

export function payloadTooLarge(limit: number): Problem {
  return new Problem('payload_too_large', { detail: `A request body has at most ${limit} bytes.` });
}

/** `expected` are media types. */
export function unsupportedMediaType(
  expected = 'application/x-www-form-urlencoded or application/json',
): Problem {
  return new Problem('unsupported_media_type', { detail: `A request body is ${expected}, in UTF-8.` });
}

export function unsupportedCharset(charset: string): Problem {
  const detail = `The charset of the request body is ${JSON.stringify(charset)}, and must be utf-8.`;
  return new Problem('unsupported_media_type', { detail });
}

export function tooMany(what: 'exports' | 'requests' | 'failures', seconds: number): Problem {
  return new Problem(`too_many_${what}`, { headers: retryAfter(seconds) });
}

/** All places that the caller's company may have are taken, by itself or by others. */
export function tooManyOfCompany(seconds: number): Problem {
  const detail = 'Too many requests are being answered. Send fewer at a time, or try again later.';
  return new Problem('too_many_requests', { detail, headers: retryAfter(seconds) });
}

export function tooManyListeners(): Problem {
  const detail = 'Too many live streams are open. Close one, or try again later.';
  return new Problem('too_many_listeners', { detail });
}

/** Crossings that retention has removed: those before `before`, the first instant (epoch ms) whose crossings are kept. */
export function crossingsRemoved(before: number, parameter: string): Problem {
  return removed(`those before ${new Date(before).toISOString()} were removed`, parameter);
}

/** `date`: the first business day whose crossings are all kept. */
export function daysRemoved(date: string): Problem {
  return removed(`ranges begin on ${date} or later`, 'DateFrom');
}

/** `from`: the instant from which on the reader must read again (epoch ms); undefined for the first crossing. */
export function cursorOfAnotherEpoch(from: number | undefined): Problem {
  const start = from === undefined ? 'without `after`' : `with \`from=${new Date(from).toISOString()}\``;
  const detail =
    `The database was restored or has failed over after this cursor was returned. Read again ${start}, and ignore the ` +
    'crossings that you have by their `device`, `journal` and `sequence`.';
  return new Problem('cursor_of_another_history', { detail });
}

function removed(what: string, parameter: string): Problem {
  const detail =
    `The company keeps crossings for a limited time: ${what}. ` +
    'Counts by quarter hour, hour and day are kept: /v1/counts.';
  return new Problem('crossings_removed', { detail, parameter });
}
