import { expect, test } from 'vitest';
import { occupancyAfter, occupancyAtEnd, peakOccupancy } from './occupancy.ts';

test('stays at 0 after an exit from an empty store', () => {
  expect(occupancyAfter(0, -1)).toBe(0);
  expect(occupancyAfter(3, -1)).toBe(2);
  expect(occupancyAfter(0, 1)).toBe(1);
});

test('has the effect of a stretch from any occupancy', () => {
  /* Out, in, in, in, out. */
  const stretch = { sum: 1, floor: 2, peakSum: 2, peakFloor: 3 };
  expect([0, 1, 5].map((before) => occupancyAtEnd(before, stretch))).toEqual([2, 2, 6]);
  expect([0, 1, 5].map((before) => peakOccupancy(before, stretch))).toEqual([3, 3, 7]);
});
