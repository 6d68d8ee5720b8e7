import { JournalIds } from '@visitor-counter/database/crossings/journal-ids';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, onTestFinished, test } from 'vitest';

test('keeps a bounded number of ids, however many journals one device has', async () => {
  const { url, deviceId } = await oneDoor();
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

test('adds no more new journals in one transaction than the limits allow', async () => {
  const { url, deviceId } = await oneDoor();
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const ids = new JournalIds();
  const [a, b, c] = ['a', 'b', 'c'].map((journal) => ({ deviceId, journal }));
  if (!a || !b || !c) throw new Error('no journals');

  const excess = await ids.load(client, [a, b, c, a], { journalsPerDay: 2, journals: 100 });

  expect(excess).toEqual([{ ...c, reason: 'limit: more than 2 new journals in 24 hours' }]);
  expect([a, b, c].map(({ journal }) => ids.get(deviceId, journal) !== undefined)).toEqual([
    true,
    true,
    false,
  ]);
});
