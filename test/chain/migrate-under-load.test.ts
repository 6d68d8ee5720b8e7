import { applyMigrations } from '@visitor-counter/database/migrations/migrate';
import { migrations } from '@visitor-counter/database/migrations/migrations';
import { connect } from '@visitor-counter/database/sql/connect';
import { holdLock } from '@visitor-counter/test/held-lock';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { expectWholeJournals, startIngestLoad } from './ingest-load.ts';

test('a migration that waits for a long transaction stops ingest for a moment only', async () => {
  const url = await testDatabase();
  const load = await startIngestLoad(url);
  await expect.poll(() => load.stored).toBeGreaterThan(0);
  const reader = await holdLock(url, 'select count(*) from crossing');
  const database = connect(url, { applicationName: 'test migrate', maxConnections: 2, lockTimeout: 500 });
  onTestFinished(() => database.close());
  const parts = async () => ['alter table crossing add column note text'];
  let attempts = 0;
  const onBlocked = () => {
    attempts += 1;
  };
  const applied = applyMigrations(database, [...migrations, { name: '29990101T0000-note', parts }], {
    onBlocked,
  });
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await expect.poll(() => attempts).toBeGreaterThanOrEqual(attempt);
    const stored = load.stored;
    await expect.poll(() => load.stored).toBeGreaterThan(stored);
  }
  await reader.release();
  expect(await applied).toEqual(['29990101T0000-note']);

  const stored = load.stored;
  await expect.poll(() => load.stored).toBeGreaterThan(stored);
  await load.stop();
  expect(await expectWholeJournals(url)).toBe(load.stored);
});
