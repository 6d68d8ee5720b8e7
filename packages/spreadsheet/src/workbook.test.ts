import { readSheets } from '@visitor-counter/test/read-sheets';
import { expect, test } from 'vitest';
import type { Cell, ColumnKind } from './columns.ts';
import { workbook } from './workbook.ts';

/** What a reader has of the only row below a header. */
async function readCells(kind: ColumnKind, value: Cell) {
  const columns = [{ title: 'value', kind }];
  const [sheet] = await readSheets(await workbook([{ name: 'cells', columns, rows: [[value]] }]));
  return sheet?.rows[1];
}

test.each<[ColumnKind, Cell, ...(string | number | boolean | null)[]]>([
  ['integer', 1204, 1204],
  ['amount', '1250.05', 1250.05],
  ['amount', '-0.05', -0.05],
  ['share', 0.125, 0.125],
  ['date', '2026-11-20', '2026-11-20T00:00:00.000'],
  ['time', '2026-11-20T18:00:00.000+01:00', '2026-11-20T18:00:00.000', '+01:00'],
  ['time', '2026-11-20T10:15:30.123-03:30', '2026-11-20T10:15:30.123', '-03:30'],
  ['time', '2026-11-20T06:20Z', '2026-11-20T06:20:00.000', '+00:00'],
  ['time', '2026-11-20T06:00', '2026-11-20T06:00:00.000', null],
  ['text', true, true],
])('writes a cell of kind %s: %j', async (kind, value, ...cells) => {
  expect(await readCells(kind, value)).toEqual(cells);
});

test.each<[ColumnKind, string, string]>([
  ['text', '=1+1', '=1+1'],
  ['text', '0012', '0012'],
  ['text', '  <b> & "x"  ', '  <b> & "x"  '],
  ['text', 'a\u0000\uD800', 'a\uFFFD\uFFFD'],
  ['text', '_x0041_', '_x0041_'],
  ['integer', 'CU-1', 'CU-1'],
  ['date', 'soon', 'soon'],
])('writes text that is never a formula, of kind %s: %j', async (kind, value, text) => {
  expect(await readCells(kind, value)).toEqual([text]);
});

test('cuts text that no cell can contain', async () => {
  expect(await readCells('text', 'x'.repeat(32_768))).toEqual(['x'.repeat(32_767)]);
});

test('writes a time that no spreadsheet has as text', async () => {
  expect(await readCells('time', '0001-01-01T00:00Z')).toEqual(['0001-01-01T00:00Z', '+00:00']);
});

test('keeps every time of a day to the millisecond, also for readers that cut off the rest', async () => {
  const times = Array.from({ length: 1_440 }, (_, minute) =>
    new Date(Date.UTC(2026, 9, 25, 0, minute, minute % 60, minute % 1000)).toISOString().slice(0, -1),
  );
  const columns = [{ title: 'at', kind: 'time' }] as const;
  const file = await workbook([{ name: 'times', columns, rows: times.map((time) => [time]) }]);
  const [sheet] = await readSheets(file);
  expect(sheet?.rows.slice(1).map(([time]) => time)).toEqual(times);
});

test('writes sheets of any length and width, with equal bytes for equal content', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => [n, `store ${n % 7}`]);
  const columns = [
    { title: 'n', kind: 'integer' },
    { title: 'store', kind: 'text' },
  ] as const;
  const wide = Array.from({ length: 800 }, (_, n) => ({ title: `${n}`, kind: 'integer' }) as const);
  const sheets = [
    { name: 'all of [it]', columns, rows },
    { name: '', columns, rows: [] },
    { name: 'wide', columns: wide, rows: [[...wide.keys()]] },
  ];
  const [first, second] = [await workbook(sheets), await workbook(sheets)];
  expect(first.equals(second)).toBe(true);
  expect(await readSheets(first)).toEqual([
    { name: 'all of  it', rows: [['n', 'store'], ...rows] },
    { name: 'Sheet', rows: [['n', 'store']] },
    { name: 'wide', rows: [[...wide.keys()].map(String), [...wide.keys()]] },
  ]);
});

test('fails if its rows cannot be read', async () => {
  const broken = Object.assign([[1]], {
    [Symbol.iterator]: () => {
      throw new Error('no rows');
    },
  });
  const columns = [{ title: 'n', kind: 'integer' }] as const;
  await expect(workbook([{ name: 'broken', columns, rows: broken }])).rejects.toThrow('no rows');
});
