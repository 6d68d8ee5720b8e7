import { enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { countDevices, countOccupancy } from '@visitor-counter/database/occupancy/count-buckets';
import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { beginPasses } from '@visitor-counter/database/retention/remover';
import { CrossingsRemoved } from '@visitor-counter/database/retention/retention';
import { connect } from '@visitor-counter/database/sql/connect';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { bucketsOf } from '@visitor-counter/domain/buckets';
import { holdLock } from '@visitor-counter/test/held-lock';
import { oneDoor } from '@visitor-counter/test/one-door';
import { projected } from '@visitor-counter/test/projected';
import { retained } from '@visitor-counter/test/retained';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test } from 'vitest';

const begin = Date.parse('2026-10-23T22:00:00Z');
/** A month after the middle of the crossings. */
const later = Date.parse('2026-11-26T12:00:00Z');
const kept = Date.parse('2026-10-26T00:00:00Z');
const minute = 60_000;

const calendars = [
  { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  { timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:07' },
  { timeZone: 'America/St_Johns', dayStartsAt: '02:30' },
];

/** When the crossing of a minute happened. */
const instantOf = (index: number) => begin + index * minute + ((index * 104_729) % minute);

/** In the last ms of a quarter hour, in the next one, and in the ms of a crossing. */
const corrections = [begin + 45 * minute - 1, begin + 50 * minute, instantOf(200)];
for (let at = begin + 7 * minute; at < begin + 5 * 24 * 60 * minute; at += 9 * 60 * minute)
  corrections.push(at);

/** Stores with a crossing every minute for five days, and these corrections. */
async function threeStores() {
  const url = await testDatabase();
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const credentialId = await rows.credential({ companyId, kind: 'staff', value: 'token' });
  const author = { kind: 'staff', name: 'Ann', credential: null, origin: 'test' } as const;
  const entry = { author, note: '', credentialId };
  const stores = [];
  for (const [n, calendar] of calendars.entries()) {
    const storeId = await rows.store({ companyId, sid: `S-${n}`, ...calendar });
    const deviceId = await rows.device({ companyId, storeId, serial: `CU-${n}` });
    const journalId = await rows.journal(deviceId, 'j');
    await rows.crossings(
      Array.from({ length: 5 * 24 * 60 }, (_, index) => {
        const direction = ((index * 7_919) % 100) % 5 < 3 ? 1 : -1;
        return { journalId, deviceId, storeId, sequence: index + 1, at: instantOf(index), direction };
      }),
    );
    for (const at of corrections)
      await enterEntry(database.kysely, 'correction', { ...entry, storeId, at, people: at % 17 });
    stores.push({ storeId, calendar, journalId, deviceId });
  }
  await projected(url);
  return { url, database, rows, companyId, entry, stores };
}

type World = Awaited<ReturnType<typeof threeStores>>;

async function allCounts({ database, stores }: Pick<World, 'database' | 'stores'>) {
  const counts = [];
  await using snapshot = await openSnapshot(database);
  for (const size of ['15min', 'hour', 'day'] as const) {
    const days = { from: '2026-10-24', to: '2026-10-29' };
    const wanted = stores.map(({ storeId, calendar }) => ({
      storeId,
      buckets: bucketsOf(calendar, days, size, later),
    }));
    counts.push(await countOccupancy(snapshot, wanted, later), await countDevices(snapshot, wanted, later));
  }
  return counts;
}

test('counts the same after crossings were removed and the projection was rebuilt', async () => {
  const world = await threeStores();
  const { url, database, rows, companyId, entry, stores } = world;
  const before = await allCounts(world);
  await rows.query('update company set retention_months = 1 where id = $1', [companyId]);

  expect(await retained(url, later)).toBe(9_000);
  expect(await rows.query('select from crossing where at < $1', [new Date(kept)])).toEqual([]);
  expect(await allCounts(world)).toEqual(before);
  expect(await retained(url, later)).toBe(0);

  await database.kysely.transaction().execute(rebuildProjection);
  await projected(url);
  expect(await allCounts(world)).toEqual(before);

  const [{ storeId } = { storeId: 0 }] = stores;
  const removed = { ...entry, storeId, at: kept - 1, people: 3 };
  await expect(enterEntry(database.kysely, 'correction', removed)).rejects.toThrow(CrossingsRemoved);
  const [first] = await rows.query('select id::text, at from correction order by at limit 1');
  const old = { id: String(first?.['id']), store_id: storeId, at: Number(first?.['at']) };
  await expect(undoEntry(database.kysely, 'correction', old, entry)).rejects.toThrow(CrossingsRemoved);
  expect(await allCounts(world)).toEqual(before);
});

/** A day of the store whose days begin within a quarter hour, and what is counted in the day before it and in it. */
async function dividedDay() {
  const world = await threeStores();
  const { url, database, rows, stores } = world;
  const [, divided] = stores;
  if (divided === undefined) throw new Error('no store');
  const { storeId, deviceId, calendar } = divided;
  const buckets = bucketsOf(calendar, { from: '2026-10-24', to: '2026-10-25' }, 'day', later);
  const start = buckets[1]?.from ?? 0;
  const entries = async () => {
    await using snapshot = await openSnapshot(database);
    const [counts] = await countDevices(snapshot, [{ storeId, buckets }], later);
    return counts?.get('CU-1')?.map((count) => count.in) ?? [];
  };
  const connection = new StoringConnection(url, 'test');
  onTestFinished(() => connection.close());
  /** Stores late crossings, each in its own transaction. */
  const store = async (...instants: number[]) => {
    for (const [index, at] of instants.entries()) {
      const batch = { journal: 'late', crossings: [{ sequence: index + 1, at, direction: 1 as const }] };
      await connection.use((client, caches) =>
        storeMessages(client, caches, [{ deviceId, topic: 't', batch, rejections: [] }]),
      );
    }
  };
  const enter = async (...instants: number[]) => {
    await store(...instants);
    await projected(url);
  };
  await rows.query('update company set retention_months = 1');
  return { ...world, storeId, start, entries, store, enter };
}

test('counts late crossings around the beginning of a business day within a quarter hour for their days', async () => {
  const { url, start, entries, enter } = await dividedDay();
  const [before = 0, of = 0] = await entries();
  await retained(url, later);

  await enter(start, start + 1, start - 1);
  expect(await entries()).toEqual([before + 1, of + 2]);

  /* The next pass does not count the quarter hour again, of which only the late crossings are left. */
  await retained(url, later + 24 * 60 * minute);
  expect(await entries()).toEqual([before + 1, of + 2]);
});

test('counts a crossing once that is stored while its quarter hour becomes final', async () => {
  const { url, rows, start, entries, store } = await dividedDay();
  const [before = 0, of = 0] = await entries();
  const client = await openClient({ connectionString: url, pipeline: true }, planByKeys);
  onTestFinished(() => client.end());
  await untilTransactionsEnd(url);
  await beginPasses(client, later);

  const lock = await holdLock(url, 'lock table correction in access exclusive mode');
  const sealing = runRound(client, later, true);
  const waiting = () =>
    rows.query(`select from pg_locks where relation = 'correction'::regclass and not granted
      and database = (select oid from pg_database where datname = current_database())`);
  await expect.poll(waiting).toHaveLength(1);
  await store(start);
  await lock.release();
  await sealing;

  await retained(url, later);
  expect(await entries()).toEqual([before, of + 1]);
});

test.each([
  { side: 'end', first: -7, last: 0, lateAt: -1, counted: [1, 0] },
  { side: 'beginning', first: 0, last: 8, lateAt: 0, counted: [0, 1] },
])(
  'counts the first crossing at the $side of a business day, within a quarter hour that has others, for that day',
  async ({ first, last, lateAt, counted }) => {
    const { url, database, rows, storeId, start, entries, enter } = await dividedDay();
    await rows.query('delete from crossing where store_id = $1 and at >= $2 and at < $3', [
      storeId,
      new Date(start + first * minute),
      new Date(start + last * minute),
    ]);
    await database.kysely.transaction().execute(rebuildProjection);
    await projected(url);
    const [before = 0, of = 0] = await entries();
    await retained(url, later);

    await enter(start + lateAt);

    expect(await entries()).toEqual([before + (counted[0] ?? 0), of + (counted[1] ?? 0)]);
  },
);

/** A store whose days begin within a quarter hour, with a crossing in each of 1,200, and 600 corrections in one of them. */
async function manyDivisions() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  await rows.query(`update store set day_starts_at = '04:07'`);
  await rows.query('update company set retention_months = 1');
  const journalId = await rows.journal(deviceId, 'j');
  const from = Date.parse('2026-10-02T00:00:00Z');
  const credentialId = await rows.credential({ companyId, kind: 'staff', value: 'token' });
  await rows.query(
    `insert into correction (store_id, credential_id, at, people, entered_by)
     select $1, $2, $3::timestamptz + n * interval '1 s', n, 'Ann' from generate_series(1, 600) n`,
    [storeId, credentialId, new Date(from + 600 * 15 * minute)],
  );
  await rows.crossings(
    Array.from({ length: 1_200 }, (_, index) => ({
      journalId,
      deviceId,
      storeId,
      sequence: index + 1,
      at: from + (index * 15 + (index % 14)) * minute,
      direction: index % 3 === 2 ? -1 : 1,
    })),
  );
  return { url, database, storeId };
}

test('counts the same after many quarter hours with hundreds of corrections, and within which days begin, became final', async () => {
  const { url, database, storeId } = await manyDivisions();
  const calendar = { timeZone: 'UTC', dayStartsAt: '04:07' };
  const buckets = bucketsOf(calendar, { from: '2026-10-01', to: '2026-10-27' }, 'day', later);
  const counts = async () => {
    await using snapshot = await openSnapshot(database);
    return await countOccupancy(snapshot, [{ storeId, buckets }], later);
  };
  const before = await counts();
  expect(await retained(url, later)).toBe(1_200);
  expect(await counts()).toEqual(before);
});
