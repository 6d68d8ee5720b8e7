import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test('finds the name that a misspelled one resembles most', () => {
  const names = ['store', 'from', 'to', 'limit'];
  for (const [given, expected] of [
    ['storre', 'store'],
    ['STORE', 'store'],
    ['form', 'from'],
    ['limmit', 'limit'],
    ['t', 'to'],
    ['', 'to'],
  ] as const)
    expect(nearestName(given, names), given).toBe(expected);
  expect(nearestName('store', [])).toBeUndefined();
});
