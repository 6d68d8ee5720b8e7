import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { runApiFuzz } from './api/run-api-fuzz.ts';

test('answers random forms, JSON bodies and envelopes as in the OpenAPI document, without failures', async () => {
  const result = await runApiFuzz({ databaseUrl: await testDatabase(), requests: 800, seed: 1 });

  expect(result.faults).toEqual([]);
  expect(result.errors).toEqual([]);
  expect(result.sent).toBeGreaterThanOrEqual(800);
  expect(result.statuses['200']).toBeGreaterThan(50);
  expect(result.statuses['400']).toBeGreaterThan(50);
  expect(result.statuses['500']).toBeGreaterThan(20);
});
