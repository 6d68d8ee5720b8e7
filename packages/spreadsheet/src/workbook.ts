import { type ZipEntry, zip } from './zip.ts';

/** A value; what does not fit the kind of its column is written as text. */
export type Cell = string | number | boolean | null | undefined;

/**
 * What a column contains. `date` is text `YYYY-MM-DD`; `time` an RFC 3339 date-time, of which the local time is shown, or a
 * date-time without offset; `amount` a number with two decimal places, also as text; `share` a number shown as percentage.
 */
export type ColumnKind = 'text' | 'integer' | 'number' | 'amount' | 'share' | 'date' | 'time';

export interface Column {
  readonly title: string;
  readonly kind: ColumnKind;
  /** In characters; by default as its kind and title need. */
  readonly width?: number;
}

export interface Sheet {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: Iterable<readonly Cell[]>;
}

export const xlsxMediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A workbook in the format XLSX (Office Open XML, ECMA-376), each sheet with a header line that does not scroll. */
export async function workbook(sheets: readonly Sheet[]): Promise<Buffer> {
  const files: ZipEntry[] = [
    { path: '[Content_Types].xml', content: [contentTypes(sheets)] },
    { path: '_rels/.rels', content: [relations([['officeDocument', 'xl/workbook.xml']])] },
    { path: 'xl/workbook.xml', content: [workbookMarkup(sheets)] },
    {
      path: 'xl/_rels/workbook.xml.rels',
      content: [
        relations([
          ...sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
          ['styles', 'styles.xml'],
        ]),
      ],
    },
    { path: 'xl/styles.xml', content: [styles()] },
  ];
  const ofSheets = sheets.map(
    (sheet, index): ZipEntry => ({
      path: `xl/worksheets/sheet${index + 1}.xml`,
      content: sheetMarkup(sheet),
    }),
  );
  return await zip([...files, ...ofSheets]);
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const parts = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function contentTypes(sheets: readonly Sheet[]): string {
  const names = [
    'workbook.xml',
    'styles.xml',
    ...sheets.map((_, index) => `worksheets/sheet${index + 1}.xml`),
  ];
  const types = ['sheet.main', 'styles', ...sheets.map(() => 'worksheet')];
  const overrides = names.map(
    (name, index) => `<Override PartName="/xl/${name}" ContentType="${parts}.${types[index]}+xml"/>`,
  );
  return `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`;
}

function relations(targets: readonly (readonly [type: string, target: string])[]): string {
  const list = targets.map(
    ([type, target], index) =>
      `<Relationship Id="r${index + 1}" Type="${office}/${type}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships xmlns="${packages}/relationships">${list.join('')}</Relationships>`;
}

function workbookMarkup(sheets: readonly Sheet[]): string {
  const list = sheets.map(
    ({ name }, index) =>
      `<sheet name="${xmlText(sheetName(name))}" sheetId="${index + 1}" r:id="r${index + 1}"/>`,
  );
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`;
}

/** A name as programs accept it: 1 to 31 characters, without those of references. */
function sheetName(name: string): string {
  return (
    name
      .replace(/[[\]:*?/\\']/g, ' ')
      .trim()
      .slice(0, 31) || 'Sheet'
  );
}

function styles(): string {
  const formats = Object.values(kinds).map(({ format }, index) => ({ id: 164 + index, format }));
  const codes = formats.map(({ id, format }) => `<numFmt numFmtId="${id}" formatCode="${xmlText(format)}"/>`);
  const cells = formats.map(
    ({ id }) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  );
  const plain = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>';
  const bold = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>';
  const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
  return `${declaration}<styleSheet xmlns="${main}"><numFmts count="${codes.length}">${codes.join('')}</numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length + 2}">${plain}${bold}${cells.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

/** Rows in one piece. */
const rowsAtOnce = 500;

function* sheetMarkup({ columns, rows }: Sheet): Generator<string, void> {
  const widths = columns.map(
    ({ title, kind, width = Math.max(kinds[kind].width, title.length + 2) }, index) => {
      const column = index + 1;
      return `<col min="${column}" max="${column}" width="${width}" customWidth="1"/>`;
    },
  );
  const view =
    '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>';
  const header = columns.map(({ title }) => textMarkup(title, headerStyle)).join('');
  yield `${declaration}<worksheet xmlns="${main}"><sheetViews>${view}</sheetViews><cols>${widths.join('')}</cols><sheetData><row>${header}</row>`;
  let piece: string[] = [];
  for (const row of rows) {
    const cells = columns.map(({ kind }, index) => cellMarkup(kind, row[index]));
    piece.push(`<row>${cells.join('')}</row>`);
    if (piece.length < rowsAtOnce) continue;
    yield piece.join('');
    piece = [];
  }
  yield `${piece.join('')}</sheetData></worksheet>`;
}

/** How cells of each kind are shown: the format code, and the width of the column in characters. */
const kinds: Readonly<Record<ColumnKind, { readonly format: string; readonly width: number }>> = {
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
const headerStyle = 1;

/** A cell as SpreadsheetML (ECMA-376 part 1, 18.3.1.4). Text is never a formula. */
function cellMarkup(kind: ColumnKind, value: Cell): string {
  if (value === null || value === undefined || value === '') return '<c/>';
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
  const number = numberOf(kind, value);
  return number === undefined ? textMarkup(String(value)) : `<c s="${styleOf(kind)}"><v>${number}</v></c>`;
}

/** A text cell. */
function textMarkup(text: string, style = 0): string {
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
function xmlText(text: string): string {
  return text
    .slice(0, mostCharacters)
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"\r]/g, (one) => `&#${one.charCodeAt(0)};`);
}
