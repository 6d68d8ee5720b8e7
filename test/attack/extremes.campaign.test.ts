import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { runExtremes } from './extremes/run-extremes.ts';

test('answers all readers and stores all honest crossings under extreme heartbeats and crossings', async () => {
  const databaseUrl = await testDatabase();
  const result = await runExtremes({ databaseUrl, bounds: 40, messages: 40, seed: 1 });

  expect(result.faults).toEqual([]);
  expect(result.errors).toEqual([]);
  expect(result.honest.stored).toBe(result.honest.acknowledged);
  expect(result.honest.acknowledged).toBeGreaterThan(10);
  expect(result.answers).toBeGreaterThan(100);
}, 300_000);
