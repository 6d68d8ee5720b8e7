/** A value; what does not fit the kind of its column is written as text. */
export type Cell = string | number | boolean | null | undefined;

/**
 * What a column contains. `date` is text `YYYY-MM-DD`; `time` an RFC 3339 date-time, of which the local time is shown, or a
 * date-time without offset; `amount` a number with two decimal places, also as text; `share` a number shown as percentage.
 */
export type ColumnKind = 'text' | 'integer' | 'number' | 'amount' | 'share' | 'date' | 'time';

/** How cells of each kind are shown: the format code, and the width of the column in characters. */
export const kinds: Readonly<Record<ColumnKind, { readonly format: string; readonly width: number }>> = {
  text: { format: 'General', width: 16 },
  integer: { format: '#,##0', width: 11 },
  number: { format: 'General', width: 11 },
  amount: { format: '#,##0.00', width: 14 },
  share: { format: '0.0%', width: 10 },
  date: { format: 'yyyy-mm-dd', width: 12 },
  time: { format: 'yyyy-mm-dd hh:mm:ss', width: 20 },
};

/** The index of a kind among the formats of cells; 0 is the default, and 1 the header. */
const styleOf = (kind: ColumnKind) => Object.keys(kinds).indexOf(kind) + 2;
export const headerStyle = 1;

/** A cell as SpreadsheetML (ECMA-376 part 1, 18.3.1.4). Text is never a formula. */
export function cellMarkup(kind: ColumnKind, value: Cell): string {
  if (value === null || value === undefined || value === '') return '<c/>';
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
  const number = numberOf(kind, value);
  return number === undefined ? textMarkup(String(value)) : `<c s="${styleOf(kind)}"><v>${number}</v></c>`;
}

/** A text cell. */
export function textMarkup(text: string, style = 0): string {
  const shown = style === 0 ? '' : ` s="${style}"`;
  return `<c t="inlineStr"${shown}><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

/** The digits of a value that is shown as a number; undefined for text. */
function numberOf(kind: ColumnKind, value: string | number): string | undefined {
  if (kind === 'text') return undefined;
  if (kind === 'date' || kind === 'time') return typeof value === 'string' ? dayNumber(value) : undefined;
  const digits = String(value);
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(digits) ? digits : undefined;
}

const local = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))?(?:[Zz]|[+-]\d\d:\d\d)?$/;

/** A local date or time as spreadsheets count them: days since 30 December 1899. */
function dayNumber(text: string): string | undefined {
  const [, date, time = '00:00'] = local.exec(text) ?? [];
  const instant = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(instant) || instant < Date.UTC(1900, 2, 1)) return undefined;
  return String(instant / 86_400_000 + 25_569);
}

/** Characters in a cell at most. */
const mostCharacters = 32_767;

/** Escapes text; what XML cannot contain becomes U+FFFD, and what a reader would take for an escape `_xHHHH_` is escaped. */
export function xmlText(text: string): string {
  return text
    .slice(0, mostCharacters)
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"\r]/g, (one) => `&#${one.charCodeAt(0)};`);
}
