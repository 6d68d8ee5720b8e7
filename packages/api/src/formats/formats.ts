import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { fieldNames, type RecordDescription } from './records.ts';
import { type XmlNames, xml, xmlName } from './xml.ts';

export type FormatName = 'json' | 'xml' | 'csv' | 'raw-csv';

/** The formats in which an operation's records are answered over plain HTTP. */
export function formatsOf(record: RecordDescription, names: XmlNames): Readonly<Record<FormatName, Format>> {
  const fields = fieldNames(record);
  return {
    json,
    xml: xml(xmlName(record, names), fields, names.namespace),
    csv: csv(fields),
    'raw-csv': csv(fields, true),
  };
}

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

/**
 * RFC 4180 with a header line. Only what the format itself needs is quoted. Text that a spreadsheet would read as a
 * formula gets an apostrophe in front, as OWASP advises against CSV injection, unless `raw`; numbers are
 * unchanged.
 */
export function csv(fields: readonly string[], raw = false): Format {
  const written = raw ? String : withoutFormulas;
  const line = (values: readonly unknown[]) =>
    `${values.map((value) => quoted(written(value))).join(',')}\r\n`;
  return {
    mediaType: csvMediaType,
    begin: line(fields),
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

function withoutFormulas(value: unknown): string {
  return typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
