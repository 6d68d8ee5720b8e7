import { expect, test } from 'vitest';
import { whyImplausible } from './correction-dialog.tsx';

test.each([
  [2_500, { capacity: 300, highest: 290 }, 'above-capacity'],
  [600, { capacity: 300, highest: 0 }, undefined],
  [601, { capacity: 300, highest: 0 }, 'above-capacity'],
  [2_500, { capacity: null, highest: 290 }, 'above-highest'],
  [300, { capacity: null, highest: 290 }, undefined],
  [0, { capacity: 300, highest: 290 }, undefined],
  [20, { capacity: null, highest: 2 }, undefined],
  [2_500, { capacity: null, highest: 0 }, undefined],
] as const)('asks about %i people where %o: %s', (people, known, expected) => {
  expect(whyImplausible(people, known)).toBe(expected);
});
