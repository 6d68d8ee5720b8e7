import { oneDoor } from '@visitor-counter/test/one-door';
import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

test('derives occupancy again while a projector runs, and shows how many changes are pending', async () => {
  const { url, rows, storeId, deviceId } = await oneDoor();
  const run = adminOn(url);
  const journalId = await rows.journal(deviceId, 'j');
  await rows.crossings(
    [1, 2, 3].map((sequence) => ({
      journalId,
      deviceId,
      storeId,
      sequence,
      at: Date.UTC(2026, 10, 20, 10, sequence),
      direction: 1 as const,
    })),
  );
  const sums = () => rows.query('select sum from occupancy_quarter order by quarter');
  await rows.query('update occupancy_quarter set sum = 17');
  expect((await run(['projection', 'status'])).out).toBe('up to date');

  const rebuilding = run(['projection', 'rebuild']);
  await expect.poll(() => rows.query('select from change')).toHaveLength(1);
  expect(JSON.parse((await run(['projection', 'status', '--json'])).out)).toMatchObject({ records: 1 });
  await projected(url);

  expect((await rebuilding).out).toBe('1 quarter hours to rebuild\ndone');
  expect(await sums()).toEqual([{ sum: 3 }]);

  await rows.query(`insert into change (changes, written_at) values
    ('[]', now() - interval '60 s'), ('[]', now() - interval '10 s')`);
  const { records, lag } = JSON.parse((await run(['projection', 'status', '--json'])).out);
  expect(records).toBe(2);
  expect(lag).toBeGreaterThanOrEqual(60_000);
});
