import { expect, test } from 'vitest';
import { BackOff } from './back-off.ts';

const options = { first: 500, longest: 30_000 };

function pauses(attempts: number, random: () => number): number[] {
  const backOff = new BackOff(options, random);
  return Array.from({ length: attempts }, () => backOff.next());
}

test('doubles the longest pause with every failure up to the bound', () => {
  expect(pauses(8, () => 1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('waits at least half of each pause, and a random part of the rest', () => {
  expect(pauses(3, () => 0)).toEqual([250, 500, 1_000]);
  expect(pauses(3, () => 0.5)).toEqual([375, 750, 1_500]);
});

test('begins again with the shortest pause after a success', () => {
  const backOff = new BackOff(options, () => 1);
  for (let attempt = 0; attempt < 5; attempt += 1) backOff.next();
  backOff.reset();
  expect(backOff.next()).toBe(500);
});
