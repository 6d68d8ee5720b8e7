import type { Format, RecordShape } from './format.ts';

/** Whether text that a spreadsheet would read as a formula is written unchanged. */
export interface CsvOptions {
  readonly raw?: boolean;
}

/** For the reference. */
export const csvDescription =
  'RFC 4180, with a header line. Text that a spreadsheet would take for a formula has an apostrophe in front; ' +
  '`Accept: text/csv;raw=true` gets it as it is.';

/**
 * RFC 4180 with a header line. Only what the format itself needs is quoted. Text that a spreadsheet would read as a
 * formula gets an apostrophe in front, as OWASP advises against CSV injection, except in raw CSV; numbers are
 * unchanged.
 */
export function csv({ fields }: RecordShape, { raw = false }: CsvOptions = {}): Format {
  const written = raw ? String : withoutFormulas;
  const line = (values: readonly unknown[]) =>
    `${values.map((value) => quoted(written(value))).join(',')}\r\n`;
  return {
    mediaType: 'text/csv; charset=utf-8; header=present',
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
