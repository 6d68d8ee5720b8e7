import type { Format, RecordShape } from './format.ts';

/**
 * RFC 4180 with a header line. Values are written as they are: only what the format itself needs is quoted,
 * and nothing is put in front of a value that a spreadsheet would take for a formula.
 */
export function csv({ fields }: RecordShape): Format {
  return {
    mediaType: 'text/csv; charset=utf-8; header=present',
    begin: line(fields),
    separator: '',
    records: (batch) => batch.map((record) => line(Object.values(record))).join(''),
    end: '',
  };
}

function line(values: readonly unknown[]): string {
  return `${values.map((value) => quoted(String(value))).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
