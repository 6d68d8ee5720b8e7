import { expect, test } from 'vitest';
import { occupancyCounter } from './occupancy-counter.ts';

test('begins every business day at 0 and never goes below', () => {
  const count = occupancyCounter({ timeZone: 'America/Los_Angeles', dayStartsAt: '00:00' });
  const at = (local: string) => Date.parse(`${local}:00-07:00`);

  expect([
    count({ at: at('2005-10-28T09:00'), direction: -1 }),
    count({ at: at('2005-10-28T09:01'), direction: 1 }),
    count({ at: at('2005-10-28T23:59'), direction: 1 }),
    count({ at: at('2005-10-29T00:00'), direction: 1 }),
    count({ at: at('2005-10-31T09:00'), direction: -1 }),
  ]).toEqual([0, 1, 2, 1, 0]);
});
