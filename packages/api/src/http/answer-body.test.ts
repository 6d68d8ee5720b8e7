import { expect, test } from 'vitest';
import { ReadingTime } from './answer-body.ts';

const limits = { grace: 60_000, lowestRate: 16_384 };

test('lasts for a caller that reads at the lowest rate, however long the answer', () => {
  const readingTime = new ReadingTime(limits);
  for (let second = 0; second < 100_000; second += 4) readingTime.delivered(65_536, 4_000);
  expect(readingTime.left).toBe(60_000);
});

test('runs out for a slower caller in proportion to the shortfall', () => {
  const readingTime = new ReadingTime(limits);
  for (let second = 0; second < 120; second += 4) readingTime.delivered(32_768, 4_000);
  expect(readingTime.left).toBe(0);
});

test('is capped after a large first read', () => {
  const readingTime = new ReadingTime(limits);
  readingTime.delivered(10_000_000_000, 0);
  expect(readingTime.left).toBe(600_000);
});
