import { storeCompleteness } from '@visitor-counter/database/devices/store-devices';
import { runStatement } from '@visitor-counter/database/sql/query-builder';
import { connected } from '@visitor-counter/test/connected';
import { expect, test } from 'vitest';
import { berlinStore, now } from '../../../test/berlin-store.ts';

test('reports nothing as complete that the projection does not contain', async () => {
  const { seed, databaseUrl, storeId, deviceId } = await berlinStore();
  const heartbeatAt = now - 60_000;
  await seed.query(
    `insert into device_state (device_id, heartbeat, heartbeat_at) values ($1, $2, to_timestamp($3::float8 / 1000))
     on conflict (device_id) do update set heartbeat = excluded.heartbeat, heartbeat_at = excluded.heartbeat_at`,
    [deviceId, { at: heartbeatAt, journal: 'journal-a', recorded: 7, acknowledged: 7 }, heartbeatAt],
  );
  const store = {
    id: storeId,
    sid: 'S-1',
    name: 'Main Door',
    capacity: null,
    address: '',
    city: '',
    groups: [],
    calendar: { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  };
  const { kysely } = connected(databaseUrl);
  /* In a transaction that is rolled back, so that the projector does not see the marks. */
  const completeUntil = async (...writtenAt: readonly number[]) => {
    const trx = await kysely.startTransaction().execute();
    try {
      const statement = 'insert into mark (store_id, written_at) values ($1, $2)';
      for (const at of writtenAt) await runStatement(trx, statement, [storeId, new Date(at)]);
      return (await storeCompleteness(trx, [store], now)).get(storeId)?.completeUntil;
    } finally {
      await trx.rollback().execute();
    }
  };

  expect(await completeUntil()).toBe(heartbeatAt);
  expect(await completeUntil(heartbeatAt + 1)).toBe(heartbeatAt);
  expect(await completeUntil(heartbeatAt - 5_000, heartbeatAt - 4_000)).toBe(heartbeatAt - 5_000);
});
