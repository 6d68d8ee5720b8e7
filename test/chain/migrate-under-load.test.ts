import { applyMigrations } from '@visitor-counter/database/migrations/apply-migrations';
import { migrations, type SchemaMigration } from '@visitor-counter/database/migrations/migrations';
import { connect } from '@visitor-counter/database/sql/connect';
import { holdLock } from '@visitor-counter/test/held-lock';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { expectWholeJournals, startIngestLoad } from './ingest-load.ts';

/** Applies a migration of a release that does not exist yet; returns the transactions that it waited for. */
async function applyInvented(
  url: string,
  migration: Omit<SchemaMigration, 'parts'>,
  sql: string,
  holders: string[] = [],
): Promise<string[]> {
  const database = connect(url, { applicationName: 'test migrate', maxConnections: 2 });
  onTestFinished(() => database.close());
  const client = await database.pool.connect();
  const invented = { ...migration, parts: async () => [sql] };
  const onBlocked = (holder: string) => void holders.push(holder);
  await applyMigrations(database, client, [invented], { onBlocked }, [...migrations, invented]).finally(() =>
    client.release(),
  );
  return holders;
}

test('a migration that waits for a long transaction stops ingest for a moment only, and names the transaction', async () => {
  const url = await testDatabase();
  const load = await startIngestLoad(url);
  await expect.poll(() => load.stored).toBeGreaterThan(0);
  const reader = await holdLock(url, 'select count(*) from crossing');
  const holders: string[] = [];
  const applied = applyInvented(
    url,
    { name: '29990101T0000-note' },
    'alter table crossing add column note text',
    holders,
  );
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await expect.poll(() => holders.length).toBeGreaterThanOrEqual(attempt);
    const stored = load.stored;
    await expect.poll(() => load.stored).toBeGreaterThan(stored);
  }
  expect(holders).toContainEqual(expect.stringMatching(/^test lock, process \d+ of PostgreSQL$/));
  expect(
    await seed(url).query(`select from pg_attribute where attname = 'note' and attnum > 0
    and attrelid = 'crossing'::regclass`),
  ).toEqual([]);
  await reader.release();
  await applied;

  const stored = load.stored;
  await expect.poll(() => load.stored).toBeGreaterThan(stored);
  await load.stop();
  expect(await expectWholeJournals(url)).toBe(load.stored);
});

test('an index is built under load, also after an attempt that was interrupted', async () => {
  const url = await testDatabase();
  const load = await startIngestLoad(url);
  await expect.poll(() => load.stored).toBeGreaterThan(0);
  const index = 'create index concurrently if not exists crossing_by_device on crossing (device_id)';
  const rows = seed(url);
  await rows.query(index);
  const valid = `select indisvalid from pg_index where indexrelid = 'crossing_by_device'::regclass`;
  await rows.query(
    `update pg_index set indisvalid = false where indexrelid = 'crossing_by_device'::regclass`,
  );

  await applyInvented(url, { name: '29990101T0000-by-device', concurrently: true }, index);

  expect(await rows.query(valid)).toEqual([{ indisvalid: true }]);
  await load.stop();
  expect(await expectWholeJournals(url)).toBe(load.stored);
});

test('after a contraction writers of an earlier release store nothing more, and have lost nothing', async () => {
  const url = await testDatabase();
  const load = await startIngestLoad(url);
  await expect.poll(() => load.stored).toBeGreaterThan(0);

  await applyInvented(
    url,
    { name: '29990101T0000-direction', servesFrom: '999.0.0' },
    'alter table crossing add constraint never check (direction = 0) not valid',
  );

  const rows = seed(url);
  const stored = async () => await rows.query('select count(*)::integer as count from crossing');
  const atOnce = await stored();
  const { refused } = load;
  /* Each of the two writers has begun and failed another attempt. */
  await expect.poll(() => load.refused).toBeGreaterThan(refused + 4);
  expect(await stored()).toEqual(atOnce);
  expect(await rows.query('select from rejected_message')).toEqual([]);
  await load.stop();
  expect(await expectWholeJournals(url)).toBe(load.stored);
});
