import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { emptyDatabase } from '../../test/apply-text.ts';

const setUp = `
companies:
  - name: Acme
    stores: [{ sid: A, name: A, timeZone: UTC }, { sid: B, name: B, timeZone: UTC }, { sid: C, name: C, timeZone: UTC }]
    devices: [{ serial: CU-1, store: A }, { serial: CU-2, store: A }]
`;

const move = (store: string, since?: string) =>
  `companies: [{ name: Acme, devices: [{ serial: CU-1, store: ${store}${since ? `, since: "${since}"` : ''} }] }]`;

/** A database with one crossing of each of two devices at every hour of a day. */
async function dayOfCrossings() {
  const database = await emptyDatabase();
  await database.apply(setUp);
  await database.rows(`insert into journal (device_id, name) values (1, 'j'), (2, 'k')`);
  await database.rows(`
    insert into crossing (journal_id, device_id, sequence, at, store_id, direction)
    select device, device, hour + 1, timestamptz '2026-11-20T00:00Z' + make_interval(hours => hour), 1, 1
    from generate_series(0, 23) as hour, generate_series(1, 2) as device`);
  /** The stores of the first device's crossings, by hour. */
  const hours = async () => {
    await projected(database.url);
    const found = await database.rows(`
      select string_agg(sid, '' order by at) as sids from crossing join store on store.id = store_id
      where device_id = 1`);
    return found[0].sids;
  };
  return { ...database, hours };
}

test('moves the stored crossings of the device from the instant of the move on, and no others', async () => {
  const { apply, rows, hours } = await dayOfCrossings();

  const { changes } = await apply(move('B', '2026-11-20T19:00:00+01:00'));

  expect(changes).toEqual([
    { action: 'moved', kind: 'device', key: 'CU-1', company: 'Acme', fields: ['store'], crossings: 6 },
  ]);
  expect(await hours()).toBe(`${'A'.repeat(18)}${'B'.repeat(6)}`);
  expect(await rows('select distinct store_id from crossing where device_id = 2')).toEqual([{ store_id: 1 }]);
  expect((await apply(move('B', '2026-11-20T18:00:00Z'))).changes).toEqual([]);
  expect((await apply(move('B'))).changes).toEqual([]);
});

test('moves crossings only up to the next move of the device', async () => {
  const { apply, hours } = await dayOfCrossings();
  await apply(move('B', '2026-11-20T18:00:00Z'));
  await apply(move('C', '2026-11-20T12:00:00Z'));
  expect(await hours()).toBe(`${'A'.repeat(12)}${'C'.repeat(6)}${'B'.repeat(6)}`);
});

test('moves a device now if the file gives no instant', async () => {
  const { apply, rows, hours } = await dayOfCrossings();
  await rows(`update crossing set at = now() + interval '1 hour' where sequence = 24`);
  const { changes } = await apply(move('B'));
  expect(changes).toMatchObject([{ action: 'moved', crossings: 1 }]);
  expect(await hours()).toBe(`${'A'.repeat(23)}B`);
});
