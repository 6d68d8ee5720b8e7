import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pauseAfter } from './projector.ts';

test('pauses longer after longer rounds, and never as long as the idle session timeout of its connection', () => {
  const round = fc.record({ read: fc.nat(), more: fc.boolean() });
  fc.assert(
    fc.property(round, fc.nat(60_000), fc.nat(60_000), (some, a, b) => {
      const [short, long] = [Math.min(a, b), Math.max(a, b)];
      expect(pauseAfter(some, short)).toBeLessThanOrEqual(pauseAfter(some, long));
      expect(pauseAfter(some, long)).toBeLessThan(5_000);
    }),
  );
});

test('continues immediately with pending records that are in order, and soon after any that were', () => {
  expect(pauseAfter({ read: 0, more: true }, 100)).toBe(0);
  expect(pauseAfter({ read: 0, more: false }, 100)).toBeLessThan(100);
  expect(pauseAfter({ read: 1, more: true }, 100)).toBeGreaterThanOrEqual(100);
});
