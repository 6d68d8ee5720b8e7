import { expect, test } from 'vitest';
import { faults } from './faults/faults.ts';
import { planFaults } from './plan-faults.ts';

test('plans the same faults for the same seed, and others for another seed', () => {
  const plan = (seed: number) => planFaults({ seed, kills: 30, others: 30, within: 60_000 }, faults);

  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
  expect(plan(7).filter(({ fault }) => fault.kills)).toHaveLength(30);
});
