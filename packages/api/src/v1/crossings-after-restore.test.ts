import { withClient } from '@visitor-counter/database/sql/open-client';
import { backUp } from '@visitor-counter/test/backup';
import { connected } from '@visitor-counter/test/connected';
import { eventually } from '@visitor-counter/test/eventually';
import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test } from 'vitest';
import { apiUnderTest } from '../../test/api-under-test.ts';
import { oneStore } from '../../test/one-store.ts';

const noon = Date.UTC(2026, 10, 20, 12);

type Item = { device: string; journal: string; sequence: number };

async function world(databaseUrl?: string) {
  const api = await oneStore(databaseUrl === undefined ? {} : { databaseUrl });
  const write = (first: number, count: number) =>
    api.seed.query(
      `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
       select $1, $2, $3, n, to_timestamp($4::float8 / 1000) + n * interval '1 second', 1
       from generate_series($5::int, $5::int + $6::int - 1) n`,
      [api.journalId, api.deviceId, api.storeId, noon, first, count],
    );
  const getNow = async (query: string) => {
    const { status, body } = await api.get(`/v1/crossings?${query}`);
    return { status, ...Object(body) };
  };
  const get = async (query: string) => {
    await untilTransactionsEnd(api.databaseUrl);
    return getNow(query);
  };
  /** All pages from `start` on: the keys in their order, and where to continue. */
  const read = async (start = '') => {
    const keys: number[] = [];
    let query = start;
    for (;;) {
      const page = await get(`${query}&limit=7`);
      expect(page).toMatchObject({ status: 200 });
      keys.push(...page.items.map(({ sequence }: Item) => sequence));
      query = `after=${page.next}`;
      if (!page.more) return { keys, next: query };
    }
  };
  return { ...api, write, getNow, get, read };
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
const refused = { status: 400, code: 'cursor_of_another_history', parameter: 'after' };

test('refuses a cursor from before a restore, and names an instant from which a reader misses nothing', async () => {
  const { databaseUrl, write, get, read } = await world();
  await write(1, 20);
  const backup = await backUp(databaseUrl);
  const half = await eventually(() => get('limit=13'));
  await write(21, 20);
  const { keys, next } = await read();

  await backup.restore();
  /* After a restore the connections of the pool are replaced. */
  await eventually(() => write(21, 300));

  for (const [cursor, known] of [
    [next, new Set(keys)],
    [`after=${half.next}`, new Set(range(1, 13))],
  ] as const) {
    const { detail, ...problem } = await get(cursor);
    expect(problem).toMatchObject(refused);
    const from = /`from=([^`]+)`/.exec(detail)?.[1] ?? '';
    const again = (await read(`from=${encodeURIComponent(from)}`)).keys;
    expect(new Set([...known, ...again])).toEqual(new Set(range(1, 320)));
  }
});

test('refuses a cursor from before a failover', async () => {
  const server = await ReplicatedServer.start();
  onTestFinished(() => server.stop());
  const standby = await server.standby();
  const before = await world(await server.database());
  await before.write(1, 5);
  const { next } = await before.read();
  const url = standby.urlOf(before.databaseUrl);
  const replayed = () =>
    withClient(url, async (client) => (await client.query('select from crossing')).rowCount);
  await expect.poll(replayed).toBe(5);

  await standby.promote();

  const after = await apiUnderTest({ databaseUrl: url });
  expect((await after.get(`/v1/crossings?${next}`)).body).toMatchObject(refused);
});

test('continues after a crossing that has changed since it was read, and returns it again', async () => {
  const { write, get, read, seed } = await world();
  await write(1, 5);
  const { next } = await get('limit=3');
  await seed.query('update crossing set transaction = current_transaction() where sequence = 3');

  expect((await read(`after=${next}`)).keys).toEqual([4, 5, 3]);
});

test('begins before transactions in progress when it begins at an instant', async () => {
  const { databaseUrl, write, getNow, read } = await world();
  await write(1, 5);
  const database = connected(databaseUrl);
  await untilTransactionsEnd(databaseUrl);
  const slow = await database.pool.connect();
  await slow.query('begin');
  await slow.query('select pg_current_xact_id()');
  await write(6, 5);
  const from = encodeURIComponent(new Date(noon + 8_000).toISOString());
  const first = await getNow(`from=${from}`);
  expect(first).toMatchObject({ status: 200, items: [] });
  const second = await getNow(`after=${first.next}`);
  expect(second).toMatchObject({ status: 200, items: [] });
  await slow.query('commit');
  slow.release();
  expect((await read(`after=${second.next}`)).keys).toEqual(range(6, 5));
});
