import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { residentTolerance, runFuzz, tolerance } from './run-fuzz.ts';

test('survives random and mutated packets without errors or lost memory', async () => {
  const result = await runFuzz({ databaseUrl: await testDatabase(), packets: 5_000, seed: 1 });

  expect(result.errors).toEqual([]);
  expect(result.serves).toBe(true);
  expect(result.memoryAfter - result.memoryBefore).toBeLessThan(tolerance);
  expect(result.resident.after - result.resident.before).toBeLessThan(residentTolerance);
  expect(result.sent).toBeGreaterThanOrEqual(5_000);
});
