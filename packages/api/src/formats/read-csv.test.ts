import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from './read-csv.ts';

const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;

test('reads back what is written with any separator and line end', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\r', '\n', ' ', 'é') });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      (rows, separator, end, mark) => {
        const lines = [['x', 'y'], ...rows].map((row) => row.map(quoted).join(separator) + end);
        const { lines: read } = readCsv((mark ? '\uFEFF' : '') + lines.join(''));
        expect(read.map(({ values }) => values)).toEqual([['x', 'y'], ...rows]);
      },
    ),
    { numRuns: 60 },
  );
});

test('numbers lines as an editor does, also after values of several lines', () => {
  const { lines } = readCsv('a;b\n\n"1\n2";3\r\n4;5');
  expect(lines).toEqual([
    { line: 1, values: ['a', 'b'] },
    { line: 3, values: ['1\n2', '3'] },
    { line: 5, values: ['4', '5'] },
  ]);
});

test.each([
  [
    'a,b\n1,',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['a\n1\n', [['a'], ['1']]],
  ['', []],
])('reads %j', (text, expected) => {
  expect(readCsv(text).lines.map(({ values }) => values)).toEqual(expected);
});

test.each([
  ['a,b\n"1,2', 2],
  ['a\n"1" 2', 2],
])('refuses %j', (text, line) => {
  expect(() => readCsv(text)).toThrow(unreadableIn(line));
});

test('reads 10,000 lines and no more', () => {
  const last = `${'\n'.repeat(9_999)}a\n`;
  expect(readCsv(last).lines).toEqual([{ line: 10_000, values: ['a'] }]);
  expect(() => readCsv(`${last}a`)).toThrow(unreadableIn(10_001));
});

function unreadableIn(line: number) {
  const message = expect.stringMatching(`^The CSV cannot be read: in line ${line} `);
  return expect.objectContaining({ code: 'malformed_body', message });
}
