import { readCrossings } from '@visitor-counter/database/crossings/crossings';
import { connect } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

const start = Date.parse('2026-11-20T00:00:00Z');

/** A database in which crossings can be read, and two stores of which only the ids matter here. */
async function twoStores() {
  const url = await testDatabase();
  const database = connect(url, { applicationName: 'test', maxConnections: 2 });
  onTestFinished(() => database.close());
  return { database, seeded: seed(url) };
}

/** `count` crossings of a store, so many at each millisecond, their direction up, up, down, and again. */
async function cross({ query }: Seed, storeId: number, count: number, atOnce: number): Promise<void> {
  await query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $1, $1, n, to_timestamp(($2::float8 + n / $4::int) / 1000), case n % 3 when 2 then -1 else 1 end
     from generate_series(0, $3::int - 1) n`,
    [storeId, start, count, atOnce],
  );
}

test.each([1, 7, 3_000])(
  'returns every crossing once and in order, with %i at each millisecond',
  async (atOnce) => {
    const { database, seeded } = await twoStores();
    await cross(seeded, 1, 40_000, atOnce);
    await cross(seeded, 2, 10, atOnce);
    await using snapshot = await openSnapshot(database);
    const range = { storeId: 1, from: start, to: start + 50_000 };
    const ranges = [
      { ...range, storeId: 3 },
      range,
      { ...range, storeId: 2, to: start },
      { ...range, storeId: 2 },
    ];

    const read = new Map<object, [at: number, signedJournal: number][]>();
    for await (const { range, crossings } of readCrossings(snapshot, ranges)) {
      const rows = read.get(range) ?? [];
      read.set(range, rows);
      for (let index = 0; index < crossings.length; index += 1) {
        rows.push([crossings.at[index] ?? 0, crossings.signedJournal[index] ?? 0]);
      }
    }

    const expected = (storeId: number, length: number) =>
      Array.from({ length }, (_, n) => [start + Math.floor(n / atOnce), n % 3 === 2 ? -storeId : storeId]);
    expect([...read.keys()]).toEqual(ranges);
    expect([...read.values()]).toEqual([[], expected(1, 40_000), [], expected(2, 10)]);
  },
);

test('returns its connection when the caller stops early', async () => {
  const { database, seeded } = await twoStores();
  await cross(seeded, 1, 10_000, 1);
  for (let turn = 0; turn < 5; turn += 1) {
    await using snapshot = await openSnapshot(database);
    for await (const _batch of readCrossings(snapshot, [{ storeId: 1, from: start, to: start + 50_000 }]))
      break;
  }
  const { pool } = database;
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
});

test('ends the running statement when its caller disconnects', async () => {
  const { database, seeded } = await twoStores();
  const gone = new AbortController();
  const snapshot = await openSnapshot(database, gone.signal);
  const sleeping = snapshot.copy('select pg_sleep(600)');
  const running = () =>
    seeded.query(`select from pg_stat_activity
      where datname = current_database() and query like 'copy (select pg_sleep%' and state = 'active'`);
  await expect.poll(running).toHaveLength(1);
  gone.abort();

  await expect(sleeping).rejects.toThrow();
  await expect(snapshot.copy('select 1')).rejects.toThrow('aborted');
  await snapshot[Symbol.asyncDispose]();
  const { pool } = database;
  expect(pool.totalCount - pool.idleCount).toBe(0);
  await expect.poll(running).toEqual([]);
});
