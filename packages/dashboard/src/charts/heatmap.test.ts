import { expect, test } from 'vitest';
import { hoursOf } from './heatmap.tsx';

const at = (hours: readonly number[]) => hours.map((hour) => ({ hour }));

test('shows the hours from the first to the last with people', () => {
  expect(hoursOf(at([9, 12, 10]), 0)).toEqual([9, 10, 11, 12]);
  expect(hoursOf(at([0, 23]), 0)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
});

test('shows the hours after midnight after those of the evening, where the business day begins in the morning', () => {
  expect(hoursOf(at([22, 0, 1, 23]), 6)).toEqual([22, 23, 0, 1]);
  expect(hoursOf(at([5, 6]), 6)).toHaveLength(24);
});
