import { moveDevice } from '@visitor-counter/database/configuration/device';
import {
  type ArrivalCursor,
  decodeArrivalCursor,
  encodeArrivalCursor,
  firstArrival,
} from '@visitor-counter/database/crossings/arrival-cursor';
import { readArrivals } from '@visitor-counter/database/crossings/arrivals';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { restoreVoid, voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { oneDoor } from '@visitor-counter/test/one-door';
import { projected } from '@visitor-counter/test/projected';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

async function oneStore() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  const journalId = await rows.journal(deviceId, 'j');
  const database = connected(url);
  const reader = readerOf({ url, database }, [storeId]);
  return { url, rows, companyId, storeId, deviceId, journalId, database, ...reader };
}

/**
 * Both continue from the text of their cursor and return the sequences: `read` of all crossings that are committed, `readNow`
 * also while a transaction of the test is open.
 */
function readerOf(
  { url, database }: { url: string; database: Database },
  storeIds: readonly number[],
  limit = 3,
) {
  let cursor: ArrivalCursor = firstArrival;
  const readNow = async () => {
    const found: number[] = [];
    for (let more = true; more; ) {
      await using snapshot = await openSnapshot(database);
      const page = await readArrivals(snapshot.db, storeIds, cursor, limit);
      found.push(...page.arrivals.map(({ sequence }) => Number(sequence)));
      cursor = decodeArrivalCursor(encodeArrivalCursor(page.next)) ?? firstArrival;
      more = page.more;
    }
    return found;
  };
  const read = async () => {
    await untilTransactionsEnd(url);
    return readNow();
  };
  return { read, readNow };
}

type Store = Awaited<ReturnType<typeof oneStore>>;

async function writerOn({ database }: Store) {
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  return client;
}

type Writer = Awaited<ReturnType<typeof writerOn>>;

function write(client: Writer, { storeId, deviceId, journalId }: Store, sequence: number) {
  return client.query(
    `insert into crossing (journal_id, device_id, sequence, at, store_id, direction) values ($1, $2, $3, $4, $5, 1)`,
    [journalId, deviceId, sequence, new Date(Date.UTC(2026, 10, 20)), storeId],
  );
}

test('readers receive each crossing once, however transactions begin, commit and roll back', async () => {
  const store = await oneStore();
  const writers = [await writerOn(store), await writerOn(store), await writerOn(store)];
  let sequence = 0;
  const act = fc.tuple(fc.nat(2), fc.constantFrom('write', 'write', 'commit', 'rollback', 'read'));
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const open = writers.map((): number[] => []);
      const committed: number[] = [];
      const read = await store.read();
      for (const [n, kind] of [...acts, ...writers.map((_, n) => [n, 'commit'] as const)]) {
        const writer = writers[n];
        if (kind === 'read') read.push(...(await store.readNow()));
        if (writer === undefined || kind === 'read') continue;
        if (kind === 'write') {
          sequence += 1;
          if (open[n]?.length === 0) await writer.query('begin');
          await write(writer, store, sequence);
          open[n]?.push(sequence);
          continue;
        }
        await writer.query(kind);
        if (kind === 'commit') committed.push(...(open[n] ?? []));
        open[n] = [];
      }
      read.push(...(await store.read()));
      expect(read.toSorted((a, b) => a - b)).toEqual(committed.toSorted((a, b) => a - b));
    }),
    { numRuns: 40 },
  );
});

test('crossings of a moved device are read again', async () => {
  const store = await oneStore();
  await write(await writerOn(store), store, 1);
  expect(await store.read()).toEqual([1]);
  const other = await store.rows.store({ companyId: store.companyId, sid: 'S-2' });
  await store.database.kysely.transaction().execute((trx) => moveDevice(trx, store.deviceId, other, 0));
  await projected(store.url);
  expect(await store.read()).toEqual([]);
  expect(await readerOf(store, [other]).read()).toEqual([1]);
});

test('crossings that an operator voids or restores are read again', async () => {
  const store = await oneStore();
  const writer = await writerOn(store);
  for (const sequence of [1, 2]) await write(writer, store, sequence);
  expect(await store.read()).toEqual([1, 2]);
  await writer.query('update crossing set at = at + make_interval(secs => 1) where sequence = 2');
  const from = Date.UTC(2026, 10, 20);
  const { kysely } = store.database;
  const order = { deviceId: store.deviceId, from, until: from + 1, reason: 'x', author: kim };
  const { id } = await voidCrossings(kysely, order);
  const states = async () => {
    await using snapshot = await openSnapshot(store.database);
    const { arrivals } = await readArrivals(snapshot.db, [store.storeId], firstArrival, 10);
    return arrivals.map(({ sequence, storeId, voided }) => [Number(sequence), storeId, voided]);
  };
  expect(await store.read()).toEqual([1]);
  expect(await states()).toEqual([
    [2, store.storeId, false],
    [1, store.storeId, true],
  ]);
  await restoreVoid(kysely, id, kim);
  expect(await store.read()).toEqual([1]);
  expect((await states()).every(([, , voided]) => voided === false)).toBe(true);
});

test('continues after a restore into a server whose transaction ids start from scratch', async () => {
  const store = await oneStore();
  const writer = await writerOn(store);
  await write(writer, store, 1);
  expect(await store.read()).toEqual([1]);
  /* As after a restore: stored transaction ids are higher than those of the server. */
  await store.rows.query('update crossing set transaction = transaction + 1000000000000');
  await migrate(store.url);
  await write(writer, store, 2);

  expect(await store.read()).toEqual([1, 2]);
  expect(await store.read()).toEqual([]);
});

test('rejects cursors that it did not write', () => {
  for (const text of [
    '1',
    '1.2',
    '1.2.3.4',
    '-1.1.1',
    'x.1.1',
    '9999999999999999999.1.1',
    '1.4294967296.1',
    '1.1.9999999999999999999',
    '1.1.1.1.4294967296.1',
  ]) {
    expect(decodeArrivalCursor(text)).toBeUndefined();
    expect(decodeArrivalCursor(`0123456789abcdef00000001.${text}`)).toBeUndefined();
  }
});
