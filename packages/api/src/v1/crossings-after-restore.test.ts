import { connect } from '@visitor-counter/database/sql/connect';
import { backUp } from '@visitor-counter/test/backup';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test, vi } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { oneStore, token } from '../../test/one-store.ts';

const noon = Date.UTC(2026, 10, 20, 12);

type Item = { device: string; journal: string; sequence: number };

async function world() {
  const api = await oneStore();
  const write = (first: number, count: number) =>
    api.seed.query(
      `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
       select $1, $2, $3, n, to_timestamp($4::float8 / 1000) + n * interval '1 second', 1
       from generate_series($5::int, $5::int + $6::int - 1) n`,
      [api.journalId, api.deviceId, api.storeId, noon, first, count],
    );
  const getNow = async (query: string) => {
    const { status, body } = await answerTo(`http://127.0.0.1:${api.port}/v1/crossings?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
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
/** After a restore the connections of the pool are replaced. */
const soon = { timeout: 90_000, interval: 100 };

test('refuses a cursor that is ahead of a restored backup, before and after new crossings', async () => {
  const { databaseUrl, write, get, read } = await world();
  await write(1, 20);
  const backup = await backUp(databaseUrl);
  await vi.waitFor(read, soon);
  await write(21, 20);
  const { next } = await read();
  const half = await get(`limit=30`);

  await backup.restore();
  await expect.poll(() => get(next)).toMatchObject(refused);
  await write(21, 300);
  expect(await get(next)).toMatchObject(refused);
  expect(await get(`after=${half.next}`)).toMatchObject(refused);

  /* As its detail says: from an instant, or from the beginning, without what is known by its key. */
  const from = new Date(noon + 15_000).toISOString();
  const known = new Set(range(1, 40));
  for (const start of ['', `from=${encodeURIComponent(from)}`]) {
    const again = (await read(start)).keys;
    expect(again.filter((key) => !known.has(key))).toEqual(range(41, 280));
  }
});

test('continues after a restore from a cursor within the backup, also after several restores', async () => {
  const { databaseUrl, write, get, read } = await world();
  await write(1, 20);
  const middle = await get('limit=13');
  const end = await read();
  const backup = await backUp(databaseUrl);
  await vi.waitFor(() => write(21, 20), soon);
  await read();
  await backup.restore();
  await vi.waitFor(() => write(41, 5), soon);
  await backUp(databaseUrl);
  await vi.waitFor(() => write(46, 5), soon);

  expect((await read(end.next)).keys).toEqual(range(41, 10));
  expect((await read(`after=${middle.next}`)).keys).toEqual([...range(14, 7), ...range(41, 10)]);
});

test('refuses a cursor after tables were emptied and filled again while it runs', async () => {
  const { write, get, read, seed } = await world();
  await write(1, 10);
  await write(11, 10);
  const { next } = await read();
  await seed.query('create table kept as select * from crossing where sequence <= 10');
  await seed.query('truncate crossing');
  await seed.query('insert into crossing select * from kept');
  await write(11, 30);

  expect(await get(next)).toMatchObject(refused);
  expect((await read()).keys).toEqual(range(1, 40));
});

test('continues after a crossing that has changed since it was read, and returns it again', async () => {
  const { write, get, read, seed } = await world();
  await write(1, 5);
  const { next } = await get('limit=3');
  await seed.query('update crossing set transaction = current_transaction() where sequence = 3');

  expect((await read(`after=${next}`)).keys).toEqual([4, 5, 3]);
});

test('refuses a cursor whose last crossing is not stored any more', async () => {
  const { write, get, read, seed } = await world();
  await write(1, 20);
  const row = await get('limit=15');
  const { next } = await read();
  await seed.query('delete from crossing where sequence > 10');
  expect(await get(next)).toMatchObject(refused);
  expect(await get(`after=${row.next}`)).toMatchObject(refused);
  await write(21, 5);
  expect(await get(next)).toMatchObject(refused);
});

test('refuses a cursor whose last crossing is not stored any more, also if other stores counted after it', async () => {
  const { write, get, seed, companyId } = await world();
  await write(1, 5);
  const storeId = await seed.store({ companyId, sid: 'S-2' });
  const deviceId = await seed.device({ companyId, storeId, serial: 'CU-0002' });
  const [journalId, at] = [await seed.journal(deviceId, 'journal-b'), noon];
  await seed.crossings([{ journalId, deviceId, storeId, sequence: 1, at, direction: 1 }]);
  const read = async (after: string, limit: number) => {
    const { items, next } = await get(`store=S-1&limit=${limit}&after=${after}`);
    expect(items.map(({ sequence }: Item) => sequence)).toEqual(range(after ? 6 : 1, after ? 3 : 5));
    return next;
  };
  const end = await read('', 10);
  await write(6, 10);
  const full = await read(end, 3);

  const [history, transaction, ...rest] = end.split('.');
  expect(rest).toHaveLength(5);
  const ahead = [history, Number(transaction) + 1_000_000, ...rest].join('.');
  expect(await get(`after=${ahead}`)).toMatchObject(refused);
  await seed.query('delete from crossing where store_id <> $1 and sequence = 8', [storeId]);
  expect(await get(`after=${full}`)).toMatchObject(refused);
  expect((await get(`after=${end}`)).status).toBe(200);
  await seed.query('delete from crossing where store_id <> $1 and sequence = 5', [storeId]);
  expect(await get(`after=${end}`)).toMatchObject(refused);
});

test('numbers new crossings above all stored ones, also after a restore into a server with lower transaction ids', async () => {
  const { databaseUrl, write, get, read, seed } = await world();
  await write(1, 20);
  const { next } = await read();
  const backup = await backUp(databaseUrl);
  /* The same as a server whose own numbers are lower. */
  await vi.waitFor(() => seed.query('update installation set transactions_before = -1000000'), soon);
  await seed.query('truncate history');
  await seed.query(`insert into history (origin, after_transaction) values ('', -1)`);
  await write(21, 3);
  expect((await read()).keys).toEqual(range(1, 23));
  expect(await get(next)).toMatchObject(refused);
  await backup.restore();
  await vi.waitFor(() => write(21, 3), soon);
  expect((await read(next)).keys).toEqual(range(21, 3));
});

test('refuses a cursor ahead of the present instead of answering with nothing', async () => {
  const { write, get, read, seed } = await world();
  await write(1, 20);
  const { next } = await read();
  await seed.query('update installation set transactions_before = transactions_before - 1000000');
  await seed.query('update crossing set transaction = transaction - 1000000');
  expect(await get(next)).toMatchObject(refused);
  expect(await get('after=012345678901234.1.0.0')).toMatchObject(refused);
});

test('begins before transactions in progress when it begins at an instant', async () => {
  const { databaseUrl, write, getNow, read } = await world();
  await write(1, 5);
  const database = connect(databaseUrl, { applicationName: 'test' });
  onTestFinished(() => database.close());
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

test('returns an error for an invalid instant, and for an instant together with a cursor', async () => {
  const { write, get, read } = await world();
  await write(1, 1);
  const { next } = await read();
  expect(await get('from=yesterday')).toMatchObject({ code: 'invalid_parameter', parameter: 'from' });
  expect(await get(`from=2026-11-20T12:00:00Z&${next}`)).toMatchObject({
    code: 'invalid_parameter',
    parameter: 'from',
  });
});
