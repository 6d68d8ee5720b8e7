import { expect, test } from 'vitest';
import { gapsIn, rangesToReport } from '../journal/lost-ranges.ts';

test('reports all lost ranges in successive heartbeats', () => {
  const even = Array.from({ length: 1_000 }, (_, index) => 2 * index + 2);
  const lost = gapsIn(even, 1, 2_000);
  const reported = new Set<unknown>();
  for (let sent = 0; sent < 5; sent += 1)
    for (const range of rangesToReport(lost, sent, 200)) reported.add(range);
  expect(reported.size).toBe(1_000);
});
