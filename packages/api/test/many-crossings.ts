import { expect } from 'vitest';
import { credentials, type OneStore, oneStore } from './one-store.ts';

/** With so long a name, an answer has 24 MB: more than fits into the buffers of a connection. */
const name = 'x'.repeat(500);
export const rows = 40_000;
export const everything = { ...credentials, DateFrom: '2026-01-01', DateTo: '2026-12-31' };

export async function manyCrossings(options = {}): Promise<OneStore> {
  const api = await oneStore(options);
  const { journalId, deviceId, storeId } = api;
  await api.seed.query('update store set name = $1 where id = $2', [name, storeId]);
  await api.seed.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, n, timestamptz '2026-02-01T12:00Z' + n * interval '1 minute', 1 - 2 * (n % 2)
     from generate_series(1, $4::int) n`,
    [journalId, deviceId, storeId, rows],
  );
  return api;
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
