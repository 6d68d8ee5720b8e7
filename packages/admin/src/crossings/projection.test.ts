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
  const sums = () => rows.query('select sum from quarter_state order by quarter');
  await rows.query('update quarter_state set sum = 17');
  expect((await run(['projection', 'status'])).out).toBe('up to date');

  expect((await run(['projection', 'rebuild'])).out).toBe('1 quarter hour to rebuild');
  /* One of the quarter hour, and one of the days of the store. */
  expect(JSON.parse((await run(['projection', 'status', '--json'])).out)).toMatchObject({ marks: 2 });
  await projected(url);

  expect(await sums()).toEqual([{ sum: 3 }]);

  await rows.query(`insert into mark (store_id, written_at) values
    (1, now() - interval '60 s'), (1, now() - interval '10 s')`);
  const { marks, lag } = JSON.parse((await run(['projection', 'status', '--json'])).out);
  expect(marks).toBe(2);
  expect(lag).toBeGreaterThanOrEqual(60_000);
});
