import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { kinds } from './columns.ts';
import { type SharedTexts, type Sheet, sharedTextsMarkup, sheetMarkup } from './sheet.ts';
import { declaration, main, xmlText } from './xml.ts';

export const xlsxMediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A part of a workbook: its path below `xl`, and the last word of its type (ECMA-376 part 1, 12.3). */
interface Part {
  readonly path: string;
  readonly type: 'worksheet' | 'styles' | 'sharedStrings';
  readonly content: Iterable<string>;
}

/** A workbook in the format XLSX (Office Open XML, ECMA-376). Other work is done while it is compressed. */
export async function workbook(sheets: readonly Sheet[]): Promise<Buffer> {
  const texts: SharedTexts = new Map();
  /* Their content is made in this order, so that all texts are known when they are written. */
  const parts: readonly Part[] = [
    ...sheets.map((sheet, index) => {
      const path = `worksheets/sheet${index + 1}.xml`;
      return { path, type: 'worksheet', content: sheetMarkup(sheet, texts) } as const;
    }),
    { path: 'styles.xml', type: 'styles', content: [styles()] },
    { path: 'sharedStrings.xml', type: 'sharedStrings', content: sharedTextsMarkup(texts) },
  ];
  return await zipped([
    ['[Content_Types].xml', [contentTypes(parts)]],
    ['_rels/.rels', [relations([{ path: 'xl/workbook.xml', type: 'officeDocument' }])]],
    ['xl/workbook.xml', [workbookMarkup(sheets)]],
    ['xl/_rels/workbook.xml.rels', [relations(parts)]],
    ...parts.map(({ path, content }) => [`xl/${path}`, content] as const),
  ]);
}

/** An archive of files, each made when the one before it is compressed. The same content gives the same bytes. */
async function zipped(
  files: readonly (readonly [path: string, content: Iterable<string>])[],
): Promise<Buffer> {
  const archive = new ZipFile();
  const options = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  const bytes = archive.outputStream.pipe(new PassThrough());
  for (const [path, content] of files) {
    const pieces = Readable.from(content, { highWaterMark: 1 }).once('error', (error) =>
      bytes.destroy(error),
    );
    archive.addReadStream(pieces, path, options);
  }
  archive.end();
  return await buffer(bytes);
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function contentTypes(parts: readonly Part[]): string {
  const overrides = [{ path: 'workbook.xml', type: 'sheet.main' }, ...parts].map(
    ({ path, type }) => `<Override PartName="/xl/${path}" ContentType="${types}.${type}+xml"/>`,
  );
  return `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`;
}

function relations(targets: readonly { readonly path: string; readonly type: string }[]): string {
  const list = targets.map(
    ({ path, type }, index) => `<Relationship Id="r${index + 1}" Type="${office}/${type}" Target="${path}"/>`,
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
