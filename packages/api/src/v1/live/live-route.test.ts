import { connect } from '@visitor-counter/database/sql/connect';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { sharedStores } from './live-route.ts';

test('reads stores once per second for callers with the same rights', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const first = await rows.store({ companyId, sid: 'S-1' });
  await rows.store({ companyId, sid: 'S-2' });
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  let now = 1_000;
  const stores = sharedStores(database, () => now);
  const names = async (storeIds: readonly number[] | null) =>
    (await stores({ companyId, storeIds })).map(({ name }) => name);

  expect(await names(null)).toEqual(['S-1', 'S-2']);
  await rows.query(`update store set name = 'new ' || name`);
  now = 2_000;
  expect(await names(null)).toEqual(['S-1', 'S-2']);
  expect(await names([first])).toEqual(['new S-1']);
  expect(await names([])).toEqual([]);
  now = 2_001;
  expect(await names(null)).toEqual(['new S-1', 'new S-2']);
});
