import {
  doorDays,
  entriesSince,
  quietDoors,
  sameQuarters,
} from '@visitor-counter/database/alerts/recent-counts';
import { quarterOf } from '@visitor-counter/database/occupancy/quarter';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

const day = 86_400_000;
const now = Date.parse('2026-11-20T20:00:00Z');
const present = quarterOf(now);

/** Two years of four stores with a door each: 280,000 quarter hours. */
async function twoYears() {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const stores: number[] = [];
  for (const sid of ['S-1', 'S-2', 'S-3', 'S-4']) {
    const storeId = await rows.store({ companyId, sid });
    await rows.device({ companyId, storeId, serial: `CU-${sid}` });
    stores.push(storeId);
  }
  const history = `from device_assignment, generate_series($1::integer - 730 * 96, $1::integer - 1) quarter`;
  await rows.query(
    `insert into quarter (store_id, quarter, device_id, entries, exits, settled_entries, settled_exits)
     select store_id, quarter, device_id, 1, 2, 1, 2 ${history}`,
    [present],
  );
  await rows.query(`update store set opening_hours = '{"week": {}, "exceptions": []}'`);
  await rows.query('vacuum (analyze)');
  const database = connect(url, { applicationName: 'test', maxConnections: 1 });
  onTestFinished(() => database.close());
  return { rows, database, stores };
}

/** How many rows of the projection `read` has read. */
async function rowsRead({ pool }: Database, read: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query<{ read: number }>(
      `select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables
       where relname = 'quarter'`,
    );
    return rows[0]?.read ?? 0;
  };
  const before = await count();
  await read();
  return (await count()) - before;
}

test('repeated checks read the last weeks of a store, not all of its years', async () => {
  const { database, stores } = await twoYears();
  const { kysely } = database;
  const [storeId = 0] = stores;
  const door = { storeId, deviceId: 1, from: present - 4 };
  const weeks = (count: number) => count * 7 * 96 * stores.length;
  const checks: readonly (readonly [name: string, most: number, read: () => Promise<unknown>])[] = [
    ['entries of a day', weeks(1), () => entriesSince(kysely, stores, now - day)],
    ['quiet doors', weeks(1), () => quietDoors(kysely, stores, { since: now, now, weeks: 8 })],
    ['the same quarter hours', weeks(1), () => sameQuarters(kysely, [door], present, 8)],
    [
      'five weeks of doors',
      weeks(6),
      () =>
        doorDays(
          kysely,
          stores,
          stores.map(() => present),
        ),
    ],
  ];
  for (const [name, most, read] of checks) {
    const count = await rowsRead(database, read);
    expect(count, name).toBeGreaterThan(0);
    expect(count, name).toBeLessThanOrEqual(most);
  }
});
