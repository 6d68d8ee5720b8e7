import { seed as openSeed, type Seed } from '@visitor-counter/test/seed';
import { startedOnce } from '@visitor-counter/test/started-once';
import { databaseOfFile, testDatabase } from '@visitor-counter/test/test-database';
import { expect } from 'vitest';
import { apiUnderTest, type TestOptions } from './api-under-test.ts';
import { credentials, type OneStore, seedOneStore } from './one-store.ts';

/** With so long a name, an answer has 24 MB: more than fits into the buffers of a connection. */
const name = 'x'.repeat(500);
export const rows = 40_000;
export const everything = { ...credentials, DateFrom: '2026-01-01', DateTo: '2026-12-31' };

/** One store with many crossings, which are stored once for all tests of a file. */
export function manyCrossings(): (options?: TestOptions) => Promise<OneStore> {
  const filled = startedOnce(async (atEnd) => {
    const url = await databaseOfFile(atEnd);
    /* A database can be cloned when nobody is connected to it. */
    await using filling = new AsyncDisposableStack();
    const seed = openSeed(url, (end) => filling.defer(end));
    const ids = await seedOneStore(seed);
    await crossMany(seed, ids);
    return { template: new URL(url).pathname.slice(1), ids };
  });
  return async (options = {}) => {
    const { template, ids } = filled();
    const api = await apiUnderTest({ ...options, databaseUrl: await testDatabase(template) });
    return { ...api, ...ids };
  };
}

/** Stores them. */
async function crossMany(
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
  await expect.poll(async () => (await idle()).length).toBeGreaterThan(0);
}
