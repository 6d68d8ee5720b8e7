import { enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { countDevices, countOccupancy } from '@visitor-counter/database/occupancy/count-buckets';
import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { CrossingsRemoved } from '@visitor-counter/database/retention/retention';
import { connect } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { bucketsOf } from '@visitor-counter/domain/buckets';
import { projected } from '@visitor-counter/test/projected';
import { retained } from '@visitor-counter/test/retained';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
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

/** Stores with a crossing every minute for five days, and a correction every nine hours. */
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
        const at = begin + index * minute + ((index * 104_729) % minute);
        return { journalId, deviceId, storeId, sequence: index + 1, at, direction };
      }),
    );
    for (let at = begin + 7 * minute; at < begin + 5 * 24 * 60 * minute; at += 9 * 60 * minute)
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

test('counts a late crossing at the beginning of a business day within a quarter hour for that day', async () => {
  const { url, database, rows, companyId, stores } = await threeStores();
  const [, store] = stores;
  if (store === undefined) throw new Error('no store');
  const { storeId, deviceId, calendar } = store;
  const buckets = bucketsOf(calendar, { from: '2026-10-24', to: '2026-10-25' }, 'day', later);
  const entries = async () => {
    await using snapshot = await openSnapshot(database);
    const [counts] = await countDevices(snapshot, [{ storeId, buckets }], later);
    return counts?.get('CU-1')?.map((count) => count.in) ?? [];
  };
  const [before = 0, of = 0] = await entries();
  await rows.query('update company set retention_months = 1 where id = $1', [companyId]);
  await retained(url, later);

  const at = buckets[1]?.from ?? 0;
  const batch = { journal: 'late', crossings: [{ sequence: 1, at, direction: 1 as const }] };
  const connection = new StoringConnection(url, 'test');
  onTestFinished(() => connection.close());
  await connection.use((client, caches) =>
    storeMessages(client, caches, [{ deviceId, topic: 't', batch, rejections: [] }]),
  );
  await projected(url);

  expect(await entries()).toEqual([before, of + 1]);
});
