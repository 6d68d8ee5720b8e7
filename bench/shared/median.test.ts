import { expect, test } from 'vitest';
import { median } from './median.ts';

test.each([
  { numbers: [3, 1, 2], middle: 2 },
  { numbers: [4, 1, 3, 2], middle: 2.5 },
  { numbers: [10, 9], middle: 9.5 },
  { numbers: [7], middle: 7 },
  { numbers: [], middle: Number.NaN },
])('computes the median of $numbers as $middle', ({ numbers, middle }) => {
  expect(median(numbers)).toBe(middle);
});
