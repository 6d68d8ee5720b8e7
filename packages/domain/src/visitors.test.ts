import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutStaff } from './visitors.ts';

test('takes staff from their bucket, then from those that follow, then from those before', () => {
  expect(withoutStaff([5, 5, 5], [0, 2, 0])).toEqual([5, 3, 5]);
  expect(withoutStaff([5, 5, 5], [7, 0, 0])).toEqual([0, 3, 5]);
  expect(withoutStaff([5, 5, 5], [0, 0, 7])).toEqual([5, 3, 0]);
  expect(withoutStaff([5, 5, 5], [0, 4, 8])).toEqual([3, 0, 0]);
  expect(withoutStaff([1, 0], [9, 9])).toEqual([0, 0]);
});

test('sums to the day whatever the buckets are, and never adds to a bucket', () => {
  const bucket = fc.record({ entries: fc.nat({ max: 20 }), staff: fc.nat({ max: 10 }) });
  fc.assert(
    fc.property(fc.array(bucket), (buckets) => {
      const entries = buckets.map((one) => one.entries);
      const staff = buckets.map((one) => one.staff);
      const visitors = withoutStaff(entries, staff);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
      expect(sum(visitors)).toBe(Math.max(0, sum(entries) - sum(staff)));
      for (const [index, number] of visitors.entries()) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(entries[index] ?? 0);
      }
    }),
  );
});
