import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { businessDays } from './business-day.ts';
import type { Direction } from './crossing.ts';
import { type Correction, occupancyAfter, occupancyCounter } from './occupancy.ts';

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

test('counts the same as a fold of its crossings and corrections', () => {
  const instants = fc.nat(30);
  const crossings = fc.array(fc.record({ at: instants, direction: fc.constantFrom<Direction>(1, -1) }));
  const corrections = fc.array(fc.record({ at: instants, people: fc.nat(9) }));
  const inOrder = <Item extends { at: number }>(items: Item[]) => items.toSorted((a, b) => a.at - b.at);
  fc.assert(
    fc.property(crossings.map(inOrder), corrections.map(inOrder), (given, counted: Correction[]) => {
      const count = occupancyCounter(businessDays({ timeZone: 'UTC', dayStartsAt: '00:00' }), counted);
      for (const [index, crossing] of given.entries()) {
        const entered = counted.filter(({ at }) => at < crossing.at);
        const people = entered.at(-1)?.people ?? 0;
        const since = entered.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
        const after = given.slice(0, index + 1).filter(({ at }) => at > since);
        const expected = after.reduce((inside, { direction }) => occupancyAfter(inside, direction), people);
        expect(count(crossing.at, crossing.direction)).toBe(expected);
      }
    }),
  );
});
