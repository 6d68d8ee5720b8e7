import { expect, test } from 'vitest';
import { backOff, defaultBackOff } from './back-off.ts';

test('the bound doubles with every failure up to the cap, and any pause below it is possible', () => {
  const bounds = [1, 2, 3, 6, 7, 100].map((failures) => backOff(failures, 1, defaultBackOff));
  expect(bounds).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000]);
  expect(backOff(3, 0, defaultBackOff)).toBe(0);
  expect(backOff(3, 0.5, defaultBackOff)).toBe(1_000);
});
