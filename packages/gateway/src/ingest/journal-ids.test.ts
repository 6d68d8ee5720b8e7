import { JournalIds } from '@visitor-counter/database/crossings/journal-ids';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

test('keeps a bounded number of ids, however many journals one device has', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const ids = new JournalIds();
  const journals = Array.from({ length: 20_001 }, (_, n) => ({ deviceId, journal: `j-${n}` }));
  const last = { deviceId, journal: 'last' };

  await ids.load(client, journals);
  expect(ids.get(deviceId, 'j-0')).toBeDefined();
  await ids.load(client, [last]);

  expect(ids.get(deviceId, 'j-0')).toBeUndefined();
  expect(ids.get(deviceId, last.journal)).toBeDefined();
});
