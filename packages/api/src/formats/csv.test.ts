import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv, csvOfLocale } from './formats.ts';

const fields = ['DateTime', 'StoreName', 'Amount'];
const format = csv(fields);
const raw = csv(fields, true);

test('quotes commas, quotes and line ends, and nothing else', () => {
  const written = (StoreName: string) => format.records([{ DateTime: 'd', StoreName, Amount: 1 }]);
  expect(written('Bath, Bed')).toBe('d,"Bath, Bed",1\r\n');
  expect(written('The "Door"')).toBe('d,"The ""Door""",1\r\n');
  expect(written('two\r\nlines')).toBe('d,"two\r\nlines",1\r\n');
  expect(written('1=1; @x ü')).toBe('d,1=1; @x ü,1\r\n');
});

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '\nx',
  ' =1',
  '  \t-1',
  '\u00a0=1',
  '\u3000=1',
  '\ufeff=1',
  '\u200b=1',
  '\u0000=1',
  '＝1',
  '＋1',
  '－1',
  '＠x',
  ' ＝1',
  '﹢1',
  '﹣1',
  '﹦1',
  '﹫x',
  '−1',
  ' \n',
  '-',
])('writes %j so that no spreadsheet takes it for a formula, and as it is when asked for raw', (text) => {
  const record = { DateTime: 'd', StoreName: text, Amount: -1 };
  const cell = (value: string) => (/[\r\n,"]/.test(value) ? `"${value}"` : value);
  expect(format.records([record])).toBe(`d,${cell(`'${text}`)},-1\r\n`);
  expect(raw.records([record])).toBe(`d,${cell(text)},-1\r\n`);
});

test('any raw text survives a round trip', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = raw.records([{ DateTime: '', StoreName: text, Amount: 1 }]);
      const field = /^,(?:"((?:[^"]|"")*)"|([^",\r\n]*)),1\r\n$/.exec(line);
      expect(field?.[2] ?? field?.[1]?.replaceAll('""', '"')).toBe(text);
    }),
  );
});

test.each([
  ['de-DE', ';', ','],
  ['de-AT', ';', ','],
  ['de', ';', ','],
  ['es-ES', ';', ','],
  ['sl-SI', ';', ','],
  ['de-CH', ';', '.'],
  ['en-GB', ',', '.'],
  ['en-US', ',', '.'],
  ['es-MX', ',', '.'],
  ['ar-EG', ',', '.'],
])('writes CSV as spreadsheets of %s open it', (locale, separator, decimal) => {
  expect(csvOfLocale(locale)).toEqual({ mark: '\uFEFF', separator, decimal });
});

test('quotes text that has the separator, and changes the decimal sign of numbers only', () => {
  const { begin, records } = csv(fields, false, csvOfLocale('de-DE'));
  expect(begin).toBe('\uFEFFDateTime;StoreName;Amount\r\n');
  expect(records([{ DateTime: '1.5', StoreName: 'Bath; Bed, "x"', Amount: -0.5 }])).toBe(
    '1.5;"Bath; Bed, ""x""";-0,5\r\n',
  );
});
