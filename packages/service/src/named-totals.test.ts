import { expect, test } from 'vitest';
import { NamedTotals } from './named-totals.ts';

test('keeps the number of series bounded, whatever names it is given', () => {
  const totals = new NamedTotals(['known']);
  for (let n = 0; n < 1_000; n += 1) totals.add(`name ${n}`);
  expect([...totals.entries()]).toHaveLength(33);
});
