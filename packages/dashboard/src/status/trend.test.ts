import { expect, test } from 'vitest';
import { trendOf } from './trend.ts';

test('compares the occupancy now with that at the end of the last full hour', () => {
  expect(trendOf([10, 40, 41], 60)).toBe('up');
  expect(trendOf([10, 40, 41], 20)).toBe('down');
  expect(trendOf([10, 40, 41], 42)).toBe('level');
  expect(trendOf([200, 3], 209)).toBe('level');
  expect(trendOf([200, 3], 211)).toBe('up');
  expect(trendOf([], 3)).toBe('up');
  expect(trendOf([], 2)).toBe('level');
});
