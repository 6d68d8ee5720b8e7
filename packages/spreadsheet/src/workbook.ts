import { type Cell, type ColumnKind, cellMarkup, headerStyle, kinds, textMarkup, xmlText } from './cells.ts';
import { type ZipEntry, zip } from './zip.ts';

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
