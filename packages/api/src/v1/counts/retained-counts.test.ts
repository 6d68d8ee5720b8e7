import { enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { countOccupancy } from '@visitor-counter/database/occupancy/count-occupancy';
import { countByDevice } from '@visitor-counter/database/occupancy/count-stores';
import { countedUntil } from '@visitor-counter/database/occupancy/counted-days';
import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { CrossingsRemoved } from '@visitor-counter/database/retention/retention';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { bucketsOf } from '@visitor-counter/domain/buckets';
import { localDateAt } from '@visitor-counter/domain/time-zone';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { removeAllOld } from '@visitor-counter/test/remove-all-old';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

const minute = 60_000;
const day = 24 * 60 * minute;

const calendars = [
  { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  { timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:15' },
  { timeZone: 'America/St_Johns', dayStartsAt: '02:30' },
];

/** Stores with a crossing every minute for five days around the horizon of a month, and corrections. */
async function threeStores() {
  const url = await testDatabase();
  const database = connected(url);
  const rows = seed(url);
  const [horizon] = await rows.query('select horizon(1) as at');
  const kept = Number(horizon?.['at']);
  const begin = kept - 3 * day - 120 * minute;
  const instantOf = (index: number) => begin + index * minute + ((index * 104_729) % minute);
  const corrections = [begin + 45 * minute - 1, begin + 50 * minute, instantOf(200)];
  for (let at = begin + 7 * minute; at < begin + 5 * day; at += 9 * 60 * minute) corrections.push(at);
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
    stores.push({ storeId, calendar });
  }
  await projected(url);
  const days = { from: localDateAt(begin, 'UTC'), to: localDateAt(begin + 6 * day, 'UTC') };
  return { url, database, rows, companyId, entry, stores, kept, days };
}

type World = Awaited<ReturnType<typeof threeStores>>;

/** All counts; without the people before corrections of quarter hours whose crossings are deleted. */
async function allCounts({ database, stores, days, kept }: World) {
  const counts = [];
  const now = Date.now();
  await using snapshot = await openSnapshot(database);
  for (const size of ['15min', 'hour', 'day'] as const) {
    const wanted = stores.map(({ storeId, calendar }) => ({
      storeId,
      buckets: bucketsOf(calendar, days, size),
    }));
    const occupancy = await countOccupancy(snapshot.db, wanted, now);
    counts.push(
      occupancy.map((ofStore) =>
        ofStore.map(({ corrections, ...bucket }) => ({
          ...bucket,
          corrections: corrections.map((one) => (one.at < kept - day ? { ...one, was: undefined } : one)),
        })),
      ),
      await countByDevice(
        snapshot.db,
        wanted.map(({ storeId, buckets }) => ({ storeId, ...countedUntil(buckets, now + 1) })),
      ),
    );
  }
  return counts;
}

test('counts the same after crossings were deleted and the projection was rebuilt', async () => {
  const world = await threeStores();
  const { url, database, rows, companyId, entry, stores, kept } = world;
  const before = await allCounts(world);
  await rows.query('update company set retention_months = 1 where id = $1', [companyId]);

  expect(await removeAllOld(database.kysely)).toBe(3 * (2 * 24 * 60 + 120));
  expect(await rows.query('select from crossing where at < $1', [new Date(kept - day)])).toEqual([]);
  expect(await allCounts(world)).toEqual(before);

  await database.kysely.transaction().execute(rebuildProjection);
  await projected(url);
  expect(await allCounts(world)).toEqual(before);

  const [{ storeId } = { storeId: 0 }] = stores;
  const removed = { ...entry, storeId, at: kept - 1, people: 3 };
  await expect(enterEntry(database.kysely, 'correction', removed)).rejects.toThrow(CrossingsRemoved);
  const [first] = await rows.query('select id, at from entry order by at limit 1');
  const old = { id: Number(first?.['id']), storeId, at: Number(first?.['at']) };
  await expect(undoEntry(database.kysely, 'correction', old, entry)).rejects.toThrow(CrossingsRemoved);
  expect(await allCounts(world)).toEqual(before);
});
