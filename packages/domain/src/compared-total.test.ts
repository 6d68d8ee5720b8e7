import { expect, test } from 'vitest';
import { comparedTotal } from './compared-total.ts';

test('compares only the visitors of stores that had begun to count', () => {
  const stores = [
    { visitors: 50, comparable: 48, before: 40 },
    { visitors: 30, comparable: 30, before: 13 },
    { visitors: 12, comparable: null, before: null },
    { visitors: 0, comparable: 0, before: 0 },
  ];
  expect(comparedTotal(stores)).toEqual({ visitors: 92, comparable: 78, before: 53 });
  expect(comparedTotal([{ visitors: 0, comparable: 0, before: 0 }])).toEqual({
    visitors: 0,
    comparable: 0,
    before: 0,
  });
});

test('compares nothing where no store had begun to count', () => {
  const total = { visitors: 5, comparable: null, before: null };
  expect(comparedTotal([total])).toEqual(total);
  expect(comparedTotal([])).toEqual({ ...total, visitors: 0 });
});
