import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { runExtremes } from './extremes/run-extremes.ts';

test('no extreme of a heartbeat or a crossing breaks what anybody reads, and honest crossings are all stored', async () => {
  const result = await runExtremes({ databaseUrl: await testDatabase(), messages: 500, seed: 1 });

  expect(result.faults).toEqual([]);
  expect(result.errors).toEqual([]);
  expect(result.honest.stored).toBe(result.honest.acknowledged);
  expect(result.honest.acknowledged).toBeGreaterThan(10);
  expect(result.answers).toBeGreaterThan(100);
}, 600_000);
