import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { Random } from './fuzz/random.ts';
import { wellFormed } from './fuzz/well-formed.ts';
import { residentTolerance, runFuzz, tolerance } from './run-fuzz.ts';

test('random and mutated packets leave a gateway as it was: no error, no memory, and it serves', async () => {
  const result = await runFuzz({ databaseUrl: await testDatabase(), packets: 5_000, seed: 1 });

  expect(result.errors).toEqual([]);
  expect(result.serves).toBe(true);
  expect(result.memoryAfter - result.memoryBefore).toBeLessThan(tolerance);
  expect(result.resident.after - result.resident.before).toBeLessThan(residentTolerance);
  expect(result.sent).toBeGreaterThanOrEqual(5_000);
});

test('the same seed makes the same packets, another seed others', () => {
  const packets = (seed: number) => {
    const random = new Random(seed);
    const device = { serial: 'CU-1', secret: 'secret' };
    return Array.from({ length: 100 }, () => wellFormed(random, device).toString('hex'));
  };

  expect(packets(1)).toEqual(packets(1));
  expect(packets(1)).not.toEqual(packets(2));
});
