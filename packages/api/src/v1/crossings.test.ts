import { moveDevice } from '@visitor-counter/database/configuration/device';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { restoreVoid, voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { backUp } from '@visitor-counter/test/backup';
import { connected } from '@visitor-counter/test/connected';
import { eventually } from '@visitor-counter/test/eventually';
import { projected } from '@visitor-counter/test/projected';
import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { apiUnderTest } from '../../test/api-under-test.ts';
import { oneStore } from '../../test/one-store.ts';

const noon = Date.UTC(2026, 10, 20, 12);

type Item = { store: string; sequence: number; direction: string };

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
  const readNow = async (start = '', limit = 7) => {
    const keys: number[] = [];
    let query = start;
    for (;;) {
      const page = await getNow(`${query}&limit=${limit}`);
      expect(page).toMatchObject({ status: 200 });
      keys.push(...page.items.map(({ sequence }: Item) => sequence));
      query = `after=${page.next}`;
      if (!page.more) return { keys, next: query };
    }
  };
  /** The same, of all crossings that are committed: without it a transaction of another test may delay some. */
  const read = async (start = '') => {
    await untilTransactionsEnd(api.databaseUrl);
    return readNow(start);
  };
  return { ...api, write, getNow, get, read, readNow };
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
const refused = { status: 400, code: 'cursor_of_another_history', parameter: 'after' };

test('readers receive each crossing once, however transactions begin, commit and roll back', async () => {
  const { databaseUrl, journalId, deviceId, storeId, readNow, read } = await world();
  const { pool } = connected(databaseUrl);
  const writers = await Promise.all([0, 1, 2].map(() => pool.connect()));
  onTestFinished(() => {
    for (const writer of writers) writer.release();
  });
  let next = '';
  const continued = async (reading: typeof read) => {
    const page = await reading(next);
    next = page.next;
    return page.keys;
  };
  const inThrees: typeof read = (start) => readNow(start, 3);
  let sequence = 0;
  const act = fc.tuple(fc.nat(2), fc.constantFrom('write', 'write', 'commit', 'rollback', 'read'));
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const open = writers.map((): number[] => []);
      const committed: number[] = [];
      const found = await continued(read);
      for (const [n, kind] of [...acts, ...writers.map((_, n) => [n, 'commit'] as const)]) {
        const writer = writers[n];
        if (kind === 'read') found.push(...(await continued(inThrees)));
        if (writer === undefined || kind === 'read') continue;
        if (kind === 'write') {
          sequence += 1;
          if (open[n]?.length === 0) await writer.query('begin');
          await writer.query(
            `insert into crossing (journal_id, device_id, sequence, at, store_id, direction) values ($1, $2, $3, $4, $5, 1)`,
            [journalId, deviceId, sequence, new Date(noon), storeId],
          );
          open[n]?.push(sequence);
          continue;
        }
        await writer.query(kind);
        if (kind === 'commit') committed.push(...(open[n] ?? []));
        open[n] = [];
      }
      found.push(...(await continued(read)));
      expect(found.toSorted((a, b) => a - b)).toEqual(committed.toSorted((a, b) => a - b));
    }),
    { numRuns: 40 },
  );
});

test('crossings of a moved device are read again', async () => {
  const { write, read, seed, companyId, deviceId, databaseUrl } = await world();
  await write(1, 1);
  const { keys, next } = await read();
  expect(keys).toEqual([1]);
  const other = await seed.store({ companyId, sid: 'S-2' });
  const { kysely } = connected(databaseUrl);
  await kysely.transaction().execute((trx) => moveDevice(trx, deviceId, other, 0));
  await projected(databaseUrl);
  expect((await read(`${next}&store=S-1`)).keys).toEqual([]);
  expect((await read(`${next}&store=S-2`)).keys).toEqual([1]);
});

test('crossings that an operator voids or restores are read again', async () => {
  const { write, get, read, deviceId, databaseUrl } = await world();
  await write(1, 2);
  const first = await read();
  const { kysely } = connected(databaseUrl);
  const from = noon + 1_000;
  const { id } = await voidCrossings(kysely, { deviceId, from, until: from + 1, reason: 'x', author: kim });
  const states = async () =>
    (await get('')).items.map(({ store, sequence, direction }: Item) => [sequence, store, direction]);
  const second = await read(first.next);
  expect(second.keys).toEqual([1]);
  expect(await states()).toEqual([
    [2, 'S-1', 'in'],
    [1, 'S-1', 'voided'],
  ]);
  await restoreVoid(kysely, id, kim);
  expect((await read(second.next)).keys).toEqual([1]);
  expect(await states()).toEqual([
    [2, 'S-1', 'in'],
    [1, 'S-1', 'in'],
  ]);
});

test('refuses a cursor from before a restore into a server whose transaction ids start from scratch', async () => {
  const { write, get, read, seed, databaseUrl } = await world();
  await write(1, 1);
  const { next } = await read();
  /* As after a restore: stored transaction ids are higher than those of the server. */
  await seed.query('update crossing set transaction = transaction + 1000000000000');
  await migrate(databaseUrl);
  await write(2, 1);

  expect(await get(next)).toMatchObject(refused);
  const again = await read();
  expect(again.keys).toEqual([1, 2]);
  expect((await read(again.next)).keys).toEqual([]);
});

test('rejects cursors that it did not write', async () => {
  const { getNow } = await world();
  const wrong = ['1', '1.2', '1.2.3.4', '-1.1.1', 'x.1.1', '9999999999999999999.1.1', '1.4294967296.1'];
  for (const text of [...wrong, '1.1.9999999999999999999', '1.1.1.1.4294967296.1'])
    for (const cursor of [text, `0123456789abcdef00000001.${text}`])
      expect(await getNow(`after=${cursor}`)).toMatchObject({
        code: 'invalid_parameter',
        parameter: 'after',
      });
});

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

test('names an instant from which a reader misses nothing who was away during two restores', async () => {
  const { databaseUrl, seed, write, get, read } = await world();
  const threeDays = 3 * 86_400;
  await write(1, 5);
  const first = await backUp(databaseUrl);
  await write(6, 5);
  await write(11, 5);
  const { next } = await read();
  await first.restore();
  await eventually(() => write(20, 5));
  await write(threeDays, 5);
  /* A new server numbers its transactions from the highest one of the backup on: as the first epoch did. */
  await seed.query(
    `update crossing set transaction = last + case when sequence < $1 then 1 else 2 end
     from (select max(transaction) as last from crossing where sequence <= 5) backed_up where sequence >= 20`,
    [threeDays],
  );
  const second = await backUp(databaseUrl);
  await second.restore();

  const { detail } = await eventually(() => get(next));
  const from = /`from=([^`]+)`/.exec(detail)?.[1] ?? '';

  const { keys } = await read(`from=${encodeURIComponent(from)}`);
  expect(keys).toEqual(expect.arrayContaining([...range(20, 5), ...range(threeDays, 5)]));
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
