import { unzipped } from '@visitor-counter/test/unzipped';
import { expect, test } from 'vitest';
import { type Cell, type ColumnKind, workbook } from './workbook.ts';

/** The only cell of a sheet below its header, as it is written. */
async function cellMarkup(kind: ColumnKind, value: Cell): Promise<string | undefined> {
  const columns = [{ title: 'value', kind }];
  const files = unzipped(await workbook([{ name: 'cells', columns, rows: [[value]] }]));
  const rows = files.get('xl/worksheets/sheet1.xml')?.split('<row>');
  return rows?.[2]?.split('</row>')[0];
}

test.each<[ColumnKind, Cell, string]>([
  ['integer', 1204, '<c s="3"><v>1204</v></c>'],
  ['amount', '99999999999999.99', '<c s="5"><v>99999999999999.99</v></c>'],
  ['amount', '-0.05', '<c s="5"><v>-0.05</v></c>'],
  ['share', 0.125, '<c s="6"><v>0.125</v></c>'],
  ['date', '2026-11-20', '<c s="7"><v>46346</v></c>'],
  ['time', '2026-11-20T18:00:00.000+01:00', '<c s="8"><v>46346.75</v></c>'],
  ['time', '2026-11-20T06:00', '<c s="8"><v>46346.25</v></c>'],
  ['text', null, '<c/>'],
  ['text', true, '<c t="b"><v>1</v></c>'],
])('writes a cell of kind %s: %j', async (kind, value, markup) => {
  expect(await cellMarkup(kind, value)).toBe(markup);
});

test.each<[ColumnKind, string, string]>([
  ['text', '=1+1', '=1+1'],
  ['text', '12', '12'],
  ['text', '<b> & "x"\r', '&#60;b&#62; &#38; &#34;x&#34;&#13;'],
  ['text', 'a\u0000\uD800', 'a\uFFFD\uFFFD'],
  ['text', '_x0041_', '_x005F_x0041_'],
  ['integer', 'CU-1', 'CU-1'],
  ['date', 'soon', 'soon'],
  ['time', '0001-01-01T00:00Z', '0001-01-01T00:00Z'],
])('writes text that is never a formula, of kind %s: %j', async (kind, value, text) => {
  const written = await cellMarkup(kind, value);
  expect(written).toBe(`<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`);
});

test('writes sheets of any length, with equal bytes for equal content', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => [n, `store ${n}`]);
  const columns = [
    { title: 'n', kind: 'integer' },
    { title: 'store', kind: 'text' },
  ] as const;
  const sheets = [
    { name: 'all of [it]', columns, rows },
    { name: '', columns, rows: [] },
  ];
  const [first, second] = [await workbook(sheets), await workbook(sheets)];
  expect(first.equals(second)).toBe(true);
  const files = unzipped(first);
  expect(files.get('xl/worksheets/sheet1.xml')?.match(/<row>/g)).toHaveLength(30_001);
  expect(files.get('xl/worksheets/sheet1.xml')).toContain('store 29999<');
  expect(files.get('xl/worksheets/sheet2.xml')?.match(/<row>/g)).toHaveLength(1);
  expect(files.get('xl/workbook.xml')).toMatch(/name="all of {2}it".*name="Sheet"/);
});
