import { DeviceUsages } from '@visitor-counter/database/ingest/usage/device-usages';
import { withinLimits } from '@visitor-counter/database/ingest/usage/within-limits';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { mostRowsRead } from '../../test/most-rows-read.ts';

const at = Date.parse('2026-11-20T10:00:00Z');

test('looks up the crossings of a device at its limits by their keys, however many others are stored', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  const journalId = await rows.journal(deviceId, 'j');
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const batch = {
    journal: 'j',
    crossings: Array.from({ length: 1_000 }, (_, n) => ({ sequence: n + 1, at, direction: 1 as const })),
  };
  const message = { deviceId, topic: 't', batch, rejections: [] };
  const limited = () => {
    const usages = new DeviceUsages({ crossingsPerDay: 10, crossingsPer30Days: 10 });
    return withinLimits(client, [message], usages, at);
  };

  /* The database plans the statement while there are few crossings. */
  for (let times = 0; times < 10; times += 1) await limited();
  await rows.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, n, now(), 1 from generate_series(501, 20000) n`,
    [journalId, deviceId, storeId],
  );
  await rows.query(
    'insert into journal_removed (journal_id, first, last) values ($1, 101, 200), ($1, 301, 400)',
    [journalId],
  );

  const [{ batch: kept, rejections } = { batch: undefined, rejections: [] }] = await limited();
  const sequences = [...(kept?.crossings ?? [])].map(({ sequence }) => sequence);
  expect(sequences.slice(0, 11)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 101]);
  expect(sequences).toHaveLength(10 + 200 + 500);
  expect(rejections.flatMap(({ entries }) => entries?.sequences ?? [])).toHaveLength(290);
  await rows.query(
    `insert into journal_removed (journal_id, first, last)
     select $1, 30000 + 2 * n, 30000 + 2 * n from generate_series(1, 20000) n`,
    [journalId],
  );
  const read = await mostRowsRead(client, 'stored-sequences', `${deviceId}, 'j', '{1,501}'`);
  expect(read).toBeLessThanOrEqual(2);
});
