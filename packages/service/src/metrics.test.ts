import { expect, test } from 'vitest';
import { NamedTotals } from './metrics.ts';

test('bounds the number of series, whatever names are added', () => {
  const totals = new NamedTotals(['known']);
  for (let n = 0; n < 1_000; n += 1) totals.add(`name ${n}`);
  expect([...totals.entries()]).toHaveLength(33);
});
