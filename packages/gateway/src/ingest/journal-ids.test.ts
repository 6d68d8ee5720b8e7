import { JournalIds, type JournalName } from '@visitor-counter/database/crossings/journal-ids';
import { connect } from '@visitor-counter/database/sql/connect';
import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, onTestFinished, test } from 'vitest';

test('keeps a bounded number of ids, however many journals devices have', async () => {
  const { url, rows, companyId, storeId } = await oneDoor();
  const { kysely, close } = connect(url, { applicationName: 'test' });
  onTestFinished(close);
  const ids = new JournalIds();
  const journals: JournalName[] = [];
  for (let device = 0; device < 21; device += 1) {
    const deviceId = await rows.device({ companyId, storeId, serial: `CU-more-${device}` });
    for (let journal = 0; journal < 1_000; journal += 1) journals.push({ deviceId, journal: `j-${journal}` });
  }
  const last = { deviceId: await rows.device({ companyId, storeId, serial: 'CU-last' }), journal: 'last' };
  const first = journals[0] ?? last;

  await ids.load(kysely, journals);
  expect(ids.get(first.deviceId, first.journal)).toBeDefined();
  await ids.load(kysely, [last]);

  expect(ids.get(first.deviceId, first.journal)).toBeUndefined();
  expect(ids.get(last.deviceId, last.journal)).toBeDefined();
});
