import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moneyText, parseMoney } from './money.ts';

test('reads back every amount that it writes', () => {
  const most = 99_999_999_999_999n;
  fc.assert(
    fc.property(fc.bigInt({ min: -most, max: most }), (amount) => {
      expect(parseMoney(moneyText(amount))).toBe(amount);
    }),
  );
});

test.each([
  ['12', 1200n],
  ['12.5', 1250n],
  ['-0.05', -5n],
  ['0.10', 10n],
])('reads %s', (text, amount) => {
  expect(parseMoney(text)).toBe(amount);
});

test.each(['', '.5', '5.', '1.234', '1,5', '1e3', '+1', ' 1', '1234567890123', 'NaN'])(
  'refuses "%s"',
  (text) => {
    expect(parseMoney(text)).toBeUndefined();
  },
);
