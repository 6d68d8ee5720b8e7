import { type Cell, type Column, type ColumnKind, kinds, sheetColumns } from './columns.ts';
import { declaration, main, xmlText } from './xml.ts';

export interface Sheet {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: Iterable<readonly Cell[]> & { readonly length: number };
}

/** The index of each text that cells of a workbook have. */
export type SharedTexts = Map<string, number>;

/** Rows in one piece. */
const rowsAtOnce = 100;

/** A worksheet (ECMA-376 part 1, 18.3), with a header line that does not scroll. Adds its texts to `texts`. */
export function* sheetMarkup({ columns, rows }: Sheet, texts: SharedTexts): Generator<string, void> {
  const shown = sheetColumns(columns);
  const letters = shown.map((_, index) => lettersOf(index));
  const widths = shown.map(
    ({ width }, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  const rowMarkup = (row: number, cells: readonly (CellContent | undefined)[]) => {
    const written = cells.map((cell, index) => cell && cellMarkup(`${letters[index]}${row}`, cell));
    return `<row r="${row}">${written.join('')}</row>`;
  };
  const view =
    '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>';
  const header = shown.map(({ title }) => textCell(title, texts, headerStyle));
  yield `${declaration}<worksheet xmlns="${main}"><dimension ref="A1:${letters.at(-1)}${rows.length + 1}"/><sheetViews>${view}</sheetViews><cols>${widths.join('')}</cols><sheetData>${rowMarkup(1, header)}`;
  let [piece, number]: [string[], number] = [[], 1];
  for (const row of rows) {
    const cells = shown.map((column) => cellOf(column.shown, row[column.index], texts));
    number += 1;
    piece.push(rowMarkup(number, cells));
    if (piece.length < rowsAtOnce) continue;
    yield piece.join('');
    piece = [];
  }
  yield `${piece.join('')}</sheetData></worksheet>`;
}

/** The name of a column: A to Z, then AA. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}

/** What a cell contains, as the attributes and the content of its element. */
interface CellContent {
  readonly type?: 's' | 'b';
  readonly style?: number;
  readonly value: string | number;
}

function cellMarkup(reference: string, { type, style, value }: CellContent): string {
  const attributes = `${style ? ` s="${style}"` : ''}${type ? ` t="${type}"` : ''}`;
  return `<c r="${reference}"${attributes}><v>${value}</v></c>`;
}

/** The index of a kind among the formats of cells; 0 is the default, and 1 the header. */
const styleOf = (kind: ColumnKind) => Object.keys(kinds).indexOf(kind) + 2;
const headerStyle = 1;

/** Text is never a formula; undefined for an empty cell. */
function cellOf(kind: ColumnKind | 'offset', value: Cell, texts: SharedTexts): CellContent | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (kind === 'offset') {
    const offset = offsetOf(value);
    return offset === undefined ? undefined : textCell(offset, texts);
  }
  if (typeof value === 'boolean') return { type: 'b', value: Number(value) };
  const number = numberOf(kind, value);
  return number === undefined ? textCell(String(value), texts) : { style: styleOf(kind), value: number };
}

/** The most characters that a cell has. */
const mostCharacters = 32_767;

function textCell(text: string, texts: SharedTexts, style = 0): CellContent {
  const content = text.slice(0, mostCharacters);
  const value = texts.get(content) ?? texts.size;
  texts.set(content, value);
  return { type: 's', style, value };
}

/** The texts of a workbook (ECMA-376 part 1, 18.4). Some readers show no others. */
export function* sharedTextsMarkup(texts: SharedTexts): Generator<string, void> {
  yield `${declaration}<sst xmlns="${main}" uniqueCount="${texts.size}">`;
  for (const text of texts.keys()) yield `<si><t xml:space="preserve">${xmlText(text)}</t></si>`;
  yield '</sst>';
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
  const days = instant / 86_400_000 + 25_569;
  /* Readers that cut off what is less than a millisecond would otherwise have the one before. */
  return String((days - 25_569) * 86_400_000 < instant ? days + nextDouble : days);
}

/** The distance to the next number, of those from 32,768 (in 1989) to 65,536 (in 2079). */
const nextDouble = 2 ** -37;

/** The offset at the end of an RFC 3339 date-time. */
function offsetOf(value: Cell): string | undefined {
  const [, offset] = /\d([Zz]|[+-]\d\d:\d\d)$/.exec(String(value)) ?? [];
  return offset?.replace(/z/i, '+00:00');
}
