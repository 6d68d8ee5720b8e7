import { openSeed, type Seed } from '@visitor-counter/test/seed';
import { filledDatabase } from '@visitor-counter/test/test-database';
import { expect } from 'vitest';
import { apiUnderTest, type TestOptions } from './api-under-test.ts';
import { credentials, type OneStore, seedOneStore } from './one-store.ts';

/** With so long a name, an answer has 24 MB: more than fits into the buffers of a connection. */
const name = 'x'.repeat(500);
export const rows = 40_000;
export const everything = { ...credentials, DateFrom: '2026-01-01', DateTo: '2026-12-31' };

/** One store with many crossings, which are stored once for all tests of a file. */
export function manyCrossings(): (options?: TestOptions) => Promise<OneStore> {
  let ids: Awaited<ReturnType<typeof seedOneStore>> | undefined;
  const database = filledDatabase(async (url) => {
    const seed = openSeed(url);
    ids = await seedOneStore(seed);
    await crossMany(seed, ids);
    await seed.close();
  });
  return async (options = {}) => {
    const api = await apiUnderTest({ ...options, databaseUrl: await database() });
    if (ids === undefined) throw new Error('to be called in a test');
    return { ...api, ...ids };
  };
}

/** Stores them. */
export async function crossMany(
  seed: Seed,
  { journalId, deviceId, storeId }: Awaited<ReturnType<typeof seedOneStore>>,
): Promise<void> {
  await seed.query('update store set name = $1 where id = $2', [name, storeId]);
  await seed.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, n, timestamptz '2026-02-01T12:00Z' + n * interval '1 minute', 1 - 2 * (n % 2)
     from generate_series(1, $4::int) n`,
    [journalId, deviceId, storeId, rows],
  );
}

/** How many connections of the api are in a transaction. */
export async function inTransaction({ seed }: OneStore): Promise<number> {
  const found = await seed.query(
    `select from pg_stat_activity
     where application_name = 'visitor-counter api' and datname = current_database() and xact_start is not null`,
  );
  return found.length;
}

/** Waits until the reader's connection is idle because its caller does not read. */
export async function untilHeldBack(api: OneStore): Promise<void> {
  const idle = () =>
    api.seed.query(
      `select from pg_stat_activity where application_name = 'visitor-counter api'
       and datname = current_database() and state = 'idle in transaction' and state_change < now() - interval '0.2 s'`,
    );
  await expect.poll(async () => (await idle()).length, { timeout: 20_000 }).toBeGreaterThan(0);
}
