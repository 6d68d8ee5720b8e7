import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contactOf, patience, pauseBefore } from './live.ts';

test('shows numbers as live only after a recent event that reports them as fresh', () => {
  expect(contactOf({ at: undefined, fresh: true }, 0)).toBe('connecting');
  expect(contactOf({ at: 0, fresh: true }, patience)).toBe('live');
  expect(contactOf({ at: 0, fresh: false }, patience)).toBe('stale');
  expect(contactOf({ at: 0, fresh: true }, patience + 1)).toBe('lost');
  expect(contactOf({ at: 0, fresh: false }, patience + 1)).toBe('lost');
});

test('bounds the pauses between attempts and randomises their full length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const pause = pauseBefore(attempt, random);
        expect(pause).toBeGreaterThanOrEqual(0);
        expect(pause).toBeLessThanOrEqual(30_000);
      },
    ),
  );
  expect([1, 2, 3, 50].map((attempt) => pauseBefore(attempt, 1))).toEqual([2_000, 4_000, 8_000, 30_000]);
});
