import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workbook } from '@visitor-counter/spreadsheet/workbook';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';

const read = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
print(json.dumps({sheet.title: [[[cell.data_type, str(cell.value)] for cell in row] for row in sheet.rows] for sheet in book}))
`;

test('openpyxl reads every cell of a workbook as it was written', async () => {
  const hostile = ['=HYPERLINK("x")', '<&>"\'', 'שלום (a)', '\u0007', '  spaces  ', 'two\nlines', '+49'];
  const columns = [
    { title: 'text', kind: 'text' },
    { title: 'count', kind: 'integer' },
    { title: 'amount', kind: 'amount' },
    { title: 'share', kind: 'share' },
    { title: 'date', kind: 'date' },
    { title: 'time', kind: 'time' },
  ] as const;
  const rows = hostile.map((text, index) => [
    text,
    12_345 + index,
    '-1250.05',
    0.125,
    '2026-10-25',
    '2026-10-25T02:30:15.000+02:00',
  ]);
  const folder = await temporaryFolder();
  const path = join(folder, 'book.xlsx');
  writeFileSync(
    path,
    await workbook([
      { name: 'Müller & Söhne', columns, rows },
      { name: 'empty', columns, rows: [] },
    ]),
  );

  const book = JSON.parse(execFileSync('/usr/bin/python3', ['-c', read, path], { encoding: 'utf8' }));

  const [header, ...cells] = book['Müller & Söhne'];
  expect(header.map(([, value]: [string, string]) => value)).toEqual([
    ...columns.map(({ title }) => title),
    'time (UTC±)',
  ]);
  expect(cells).toEqual(
    hostile.map((text, index) => [
      ['s', text.replace('\u0007', '\uFFFD')],
      ['n', `${12_345 + index}`],
      ['n', '-1250.05'],
      ['n', '0.125'],
      ['d', '2026-10-25 00:00:00'],
      ['d', '2026-10-25 02:30:15'],
      ['s', '+02:00'],
    ]),
  );
  expect(book['empty']).toHaveLength(1);
});
