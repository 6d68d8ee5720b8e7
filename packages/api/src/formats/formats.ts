import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

export type FormatName = 'json' | 'xml' | 'csv' | 'raw-csv';

/** A JSON array of objects. */
export const json: Format = {
  mediaType: 'application/json; charset=utf-8',
  begin: '[',
  separator: ',',
  records: (batch) => JSON.stringify(batch).slice(1, -1),
  end: ']',
};

/**
 * A way to write a list of records as text: `begin`, then the batches, then `end`. It has no state, so that
 * one writes any number of answers at a time.
 */
export interface Format {
  /** The Content-Type of the answer. */
  readonly mediaType: string;
  readonly begin: string;
  /** The text between two batches, neither of them empty. */
  readonly separator: string;
  /** The text of a batch, with separators between its records; empty for an empty batch. */
  records(batch: readonly object[]): string;
  readonly end: string;
}

export const csvMediaType = 'text/csv; charset=utf-8; header=present';

/** For the reference. */
export const csvDescription =
  'RFC 4180, with a header line. Text that a spreadsheet would take for a formula has an apostrophe in front; ' +
  '`Accept: text/csv;raw=true` gets it as it is.';

/** What begins a file, separates values, and precedes decimals. */
interface CsvDialect {
  readonly mark: '' | '\uFEFF';
  readonly separator: ',' | ';';
  readonly decimal: '.' | ',';
}

/** RFC 4180, for programs. */
export const plainCsv: CsvDialect = { mark: '', separator: ',', decimal: '.' };

/**
 * CSV as spreadsheets of a locale open it: they take it for UTF-8 only by its byte order mark, and separate values by a
 * semicolon where the decimal sign is a comma, and in Switzerland and Liechtenstein. Throws a RangeError for what is no
 * language tag.
 */
export function csvOfLocale(locale: string): CsvDialect {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(0.5);
  const decimal = parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
  const region = new Intl.Locale(locale).region ?? '';
  const separator = decimal === ',' || ['CH', 'LI'].includes(region) ? ';' : ',';
  return { mark: '\uFEFF', separator, decimal };
}

/**
 * RFC 4180 with a header line, or another dialect. Only what the format itself needs is quoted. Text that a spreadsheet
 * would read as a formula gets an apostrophe in front, as OWASP advises against CSV injection, unless `raw`; numbers only get
 * their decimal sign.
 */
export function csv(fields: readonly string[], raw = false, dialect = plainCsv): Format {
  const { mark, separator, decimal } = dialect;
  const written = (value: unknown) => {
    if (typeof value !== 'string') return String(value).replace('.', decimal);
    return raw ? value : withoutFormulas(value);
  };
  const line = (values: readonly unknown[]) =>
    `${values.map((value) => quoted(written(value), separator)).join(separator)}\r\n`;
  return {
    mediaType: csvMediaType,
    begin: mark + line(fields),
    separator: '',
    records: (batch) => batch.map((record) => line(Object.values(record))).join(''),
    end: '',
  };
}

/**
 * A tab, a line end, or a sign that begins a formula: also in full width or as a small form, and also after spaces and
 * invisible characters, which spreadsheets drop.
 */
const formula =
  /^[\p{White_Space}\p{Cc}\p{Cf}]*?[\t\r\n=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20]/u;

function withoutFormulas(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

function quoted(text: string, separator: string): string {
  return text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * In the order of preference where a caller has none; with all parameters of the answers, since an `Accept` with
 * parameters matches only media types that have the same.
 */
const formats: Readonly<Record<string, FormatName>> = {
  'application/json;charset=utf-8': 'json',
  'application/problem+json;charset=utf-8': 'json',
  'text/xml;charset=utf-8': 'xml',
  'application/xml;charset=utf-8': 'xml',
  'application/problem+xml;charset=utf-8': 'xml',
  'text/csv;charset=utf-8;header=present': 'csv',
  'text/csv;charset=utf-8;header=present;raw=true': 'raw-csv',
};

/**
 * The format that a caller prefers by `Accept`; JSON when none of them is acceptable. Proxies generated from
 * a WSDL document by .NET (and Mono) send no `Accept` and read XML only: they are recognised by their user agent.
 */
export function preferredFormat(headers: IncomingHttpHeaders): FormatName {
  if (headers.accept === undefined && proxyOfDotNet.test(headers['user-agent'] ?? '')) return 'xml';
  const [best = ''] = new Negotiator({ headers }).mediaTypes(Object.keys(formats));
  return formats[best] ?? 'json';
}

const proxyOfDotNet = /\b(MS|Mono) Web Services Client Protocol\b/;
