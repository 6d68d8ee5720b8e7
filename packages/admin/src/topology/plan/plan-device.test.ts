import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planMove } from './plan-device.ts';

const first = { since: Number.NEGATIVE_INFINITY, store: 'A' };
const moved = { since: 1_000, store: 'B' };

test.each([
  ['stays where it is', [first], 'A', 500, undefined],
  ['moves from an instant on', [first], 'B', 500, { since: 500, until: Infinity }],
  ['moves back until the next move', [first, moved], 'C', 500, { since: 500, until: 1_000 }],
  ['corrects a move of the same instant', [first, moved], 'A', 1_000, { since: 1_000, until: Infinity }],
  ['is there since earlier', [first, moved], 'B', 2_000, undefined],
  ['was never anywhere', [], 'A', 500, { since: -Infinity, until: Infinity }],
])('plans the move of a device that %s', (_, assignments, store, since, expected) => {
  expect(planMove(assignments, store, since)).toEqual(expected);
});

test('plans a move once, regardless of the number and order of earlier moves', () => {
  const store = fc.constantFrom('A', 'B', 'C');
  const since = fc.integer({ min: 0, max: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(store, since)), store, since, (history, to, at) => {
      let assignments = [first];
      const apply = (target: string, instant: number) => {
        const move = planMove(assignments, target, instant);
        if (move === undefined) return false;
        assignments = assignments.filter((one) => one.since !== move.since);
        assignments.push({ since: move.since, store: target });
        assignments.sort((a, b) => a.since - b.since);
        return true;
      };
      for (const [target, instant] of history) apply(target, instant);
      apply(to, at);
      expect(apply(to, at)).toBe(false);
      expect(assignments.findLast((one) => one.since <= at)?.store).toBe(to);
    }),
  );
});
