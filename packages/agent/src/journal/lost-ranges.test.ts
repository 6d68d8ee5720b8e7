import { expect, test } from 'vitest';
import { areWithin, type LostRange, mergedRanges, rangesToReport } from './lost-ranges.ts';

test('reports the first pending ranges in every heartbeat, and the others in rotation', () => {
  const lost = Array.from({ length: 1_000 }, (_, index): LostRange => [10 * index + 1, 10 * index + 2]);
  const reported = new Set<LostRange>();
  for (let sent = 0; sent < 9; sent += 1) {
    const ranges = rangesToReport(lost, 9_000, sent, 200);
    expect(ranges).toHaveLength(200);
    expect(ranges[0]).toEqual([9_001, 9_002]);
    for (const range of ranges) reported.add(range);
  }
  expect(reported.size).toBe(1_000);
  expect(rangesToReport(lost.slice(0, 200), 0, 5, 200)).toHaveLength(200);
});

test('merges ranges that overlap or touch', () => {
  const merged = mergedRanges([
    [8, 9],
    [1, 3],
    [4, 5],
    [2, 2],
  ]);
  expect(merged).toEqual([
    [1, 5],
    [8, 9],
  ]);
  expect(areWithin([[2, 5]], merged)).toBe(true);
  expect(areWithin([[5, 8]], merged)).toBe(false);
});
