import { expect, test } from 'vitest';
import { Paces } from './rate-limits.ts';

test('reads nothing from a device while it is paused, whichever connection it has, and from others all the time', () => {
  const paces = new Paces({ messagesPerSecond: 10, bytesPerSecond: 1_000 });

  paces.of(1, 0).pause(10_000, 0);

  expect(paces.of(1, 0).owes(0)).toBe(10_000);
  expect(paces.of(1, 9_999).owes(9_999)).toBe(1);
  expect(paces.of(1, 10_000).owes(10_000)).toBe(0);
  expect(paces.of(2, 0).owes(0)).toBe(0);
});
