import { expect, test } from 'vitest';
import { isDiskLow, parseDiskLimit } from './disk-room.ts';

test.each([
  [199e6, undefined, true],
  [200e6, undefined, false],
  [1e9, 32e9, true],
  [1.6e9, 32e9, false],
  [150e6, 2e9, true],
  [0, 0, true],
  [undefined, 32e9, false],
])('%j bytes free of %j: nearly full is %j', (free, size, low) => {
  expect(isDiskLow(free, size)).toBe(low);
});

test('parses limits in bytes and in percent', () => {
  expect(parseDiskLimit('500MB')).toEqual({ bytes: 500e6 });
  expect(parseDiskLimit('2 GB')).toEqual({ bytes: 2e9 });
  expect(parseDiskLimit('10%')).toEqual({ percent: 10 });
  for (const text of ['', '0MB', '100%', '10', '-1MB', '1.5GB', '10 %x', '9999999MB'])
    expect(parseDiskLimit(text)).toBeUndefined();
});
