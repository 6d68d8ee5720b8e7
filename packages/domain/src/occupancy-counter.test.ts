import { expect, test } from 'vitest';
import { businessDays } from './business-day.ts';
import { occupancyCounter } from './occupancy.ts';

test('begins every business day at 0 and never goes below', () => {
  const count = occupancyCounter(businessDays({ timeZone: 'America/Los_Angeles', dayStartsAt: '00:00' }));
  const at = (local: string) => Date.parse(`${local}:00-07:00`);

  expect([
    count(at('2005-10-28T09:00'), -1),
    count(at('2005-10-28T09:01'), 1),
    count(at('2005-10-28T23:59'), 1),
    count(at('2005-10-29T00:00'), 1),
    count(at('2005-10-31T09:00'), -1),
  ]).toEqual([0, 1, 2, 1, 0]);
});

test('continues from a correction, after the crossings of its instant and until the end of the day', () => {
  const calendar = { timeZone: 'UTC', dayStartsAt: '00:00' };
  const corrections = [
    { at: 2_000, people: 9 },
    { at: 2_000, people: 7 },
    { at: 86_399_000, people: 5 },
  ];
  const count = occupancyCounter(businessDays(calendar), corrections);

  expect([count(1_000, 1), count(2_000, 1), count(2_001, -1), count(86_400_000, 1)]).toEqual([1, 2, 6, 1]);
});
