import { expect, test } from 'vitest';
import { Tally } from './tally.ts';

test('keeps the number of series bounded, whatever names it is given', () => {
  const tally = new Tally(['known']);
  for (let n = 0; n < 1_000; n += 1) tally.add(`name ${n}`);
  expect([...tally.entries()]).toHaveLength(33);
});
