import { connect } from '@visitor-counter/database/connect';
import { type CrossingToStore, storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { up } from '@visitor-counter/database/migrations/20261121T0430-occupancy';
import { foldUnfolded } from '@visitor-counter/database/occupancy/fold-unfolded';
import { rebuildQuarters } from '@visitor-counter/database/occupancy/rebuild-quarters';
import { onKysely } from '@visitor-counter/database/occupancy/run-statement';
import { moveDevice } from '@visitor-counter/database/operating/move-device';
import { occupancies } from '@visitor-counter/database/reading/occupancies';
import { settledDays } from '@visitor-counter/database/reading/settled-days';
import { openSnapshot } from '@visitor-counter/database/reading/snapshot';
import { businessDayOf, businessDayStart } from '@visitor-counter/domain/business-day';
import { addDays } from '@visitor-counter/domain/time-zone';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { storeAroundPoison } from './store-around-poison.ts';

const calendars = [
  { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  { timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:07' },
  { timeZone: 'America/St_Johns', dayStartsAt: '02:30' },
];
/* Clocks are set back in Berlin on this night. */
const begin = Date.parse('2026-10-24T20:00:00Z');
const minute = 60_000;

/** A database with three stores of one company and four devices, and two connections that store. */
async function company() {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const stores: number[] = [];
  for (const [n, calendar] of calendars.entries()) {
    stores.push(await rows.store({ companyId, sid: `S-${n}`, ...calendar }));
  }
  const devices: number[] = [];
  for (const n of [0, 1, 2, 3]) {
    devices.push(await rows.device({ companyId, storeId: stores[n % 3] ?? 0, serial: `CU-${n}` }));
  }
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const committers = [committer(url), committer(url)];
  const move = (device: number, store: number, since: number, until: number) =>
    database.kysely
      .transaction()
      .execute((trx) =>
        moveDevice(trx, 'acme', { serial: `CU-${device}`, store: `S-${store}`, since, until }),
      );
  return { rows, stores, devices, database, committers, move, settled: settledDays() };
}

type Message = { device: number; journal: string; crossings: CrossingToStore[] };

/** Stores as a gateway does: at once again when two are in each other's way. */
function committer(url: string) {
  const connection = new StoringConnection(url, 'test committer');
  onTestFinished(() => connection.close());
  return async (messages: readonly Message[]) => {
    const toStore = messages.map(({ device, journal, crossings }) => ({
      ...{ deviceId: device, topic: 't', batch: { journal, crossings }, rejections: [] },
    }));
    return storeAroundPoison(toStore, (some) =>
      connection.use(
        (client, memory) => storeMessages(client, memory, some),
        (error) => storingErrorPolicy(error) !== 'later',
      ),
    );
  };
}

/** Compares every store at some instants with the plainest count of what is stored. */
async function expectRight(
  { rows, stores, database, settled }: Awaited<ReturnType<typeof company>>,
  nows: number[],
) {
  const stored = await rows.query(
    `select store_id, (extract(epoch from at) * 1000)::float8 as at, direction
     from crossing join journal on journal.id = journal_id
     order by at, crossing.device_id, name collate "C", sequence`,
  );
  for (const now of nows) {
    const days = stores.map((storeId, n) => ({
      storeId,
      start: businessDayOf(now, calendars[n] ?? { timeZone: 'UTC', dayStartsAt: '00:00' }).start,
    }));
    await using snapshot = await openSnapshot(database);
    const expected = days.map(({ storeId, start }) => {
      const today = stored.filter(
        (row) => row['store_id'] === storeId && Number(row['at']) >= start && Number(row['at']) <= now,
      );
      let occupancy = 0;
      for (const row of today) occupancy = Math.max(0, occupancy + Number(row['direction']));
      return { occupancy, latest: today.at(-1)?.['at'] };
    });
    expect(await occupancies(snapshot.db, days, now)).toEqual(expected);
    expect(await occupancies(snapshot.db, days, now, settled)).toEqual(expected);
  }
}

const message = fc.record({
  device: fc.nat({ max: 3 }),
  journal: fc.constantFrom('b', 'B', 'é'),
  crossings: fc.array(
    fc.record({
      /* Few keys, so that many come again, with the same content or another. */
      sequence: fc.integer({ min: 1, max: 60 }),
      /* Few instants, so that devices and journals meet in one millisecond. */
      at: fc.nat({ max: 150 }).map((step) => begin + step * 10 * minute + (step % 3) * 499),
      direction: fc.constantFrom<1 | -1>(1, 1, -1),
    }),
    { minLength: 1, maxLength: 40 },
  ),
});
const batch = fc.array(message, { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ together: fc.tuple(batch, batch) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      move: fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 }), fc.nat({ max: 150 * 10 })),
    }),
  },
);
const instant = fc.nat({ max: 30 * 60 }).map((minutes) => begin + minutes * minute);

test('equals the plainest count at every step, with two committers, repeated, late and conflicting crossings and moves', {
  timeout: 60_000,
}, async () => {
  const acme = await company();
  const { rows, devices, committers, move } = acme;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.array(instant, { maxLength: 4 }),
      async (steps, nows) => {
        await rows.query('truncate crossing, occupancy_quarter, rejected_message');
        await rows.query(`delete from device_assignment where since > '-infinity'`);
        for (const taken of steps) {
          if ('move' in taken) await moveAt(taken.move);
          else {
            const named = taken.together.map((messages) =>
              messages.map((one) => ({ ...one, device: devices[one.device] ?? 0 })),
            );
            await Promise.all(named.map((messages, n) => committers[n]?.(messages)));
          }
          await expectRight(acme, [...nows, begin + 10 * 60 * minute]);
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );

  async function moveAt([device, store, minutes]: [number, number, number]) {
    const since = begin + minutes * minute;
    const [next] = await rows.query(
      `select (extract(epoch from min(since)) * 1000)::float8 as until from device_assignment
       where device_id = $1 and since > $2`,
      [devices[device], new Date(since)],
    );
    await move(device, store, since, Number(next?.['until'] ?? Number.POSITIVE_INFINITY));
  }
});

test('is right with thousands of crossings of one quarter hour in disorder', {
  timeout: 60_000,
}, async () => {
  const acme = await company();
  const { devices, committers, database, stores } = acme;
  const count = 6_000;
  const crossings = Array.from({ length: count }, (_, n) => ({
    sequence: n + 1,
    at: begin + ((n * 7_919) % count) * 140,
    direction: n % 5 < 2 ? (-1 as const) : (1 as const),
  }));
  for (let start = 0; start < count; start += 400) {
    const parts = [start, start + 200].map((from) => [
      { device: devices[0] ?? 0, journal: 'j', crossings: crossings.slice(from, from + 200) },
    ]);
    const folding = foldUnfolded(database, { quarters: 16, rows: 1_000 });
    await Promise.all([...parts.map((messages, n) => committers[n]?.(messages)), folding]);
    if (start % 2_000 === 0) await expectRight(acme, [begin + 7 * minute, begin + 20 * minute]);
  }
  await expectRight(acme, [begin + 7 * minute, begin + 20 * minute]);
  const [left] = await acme.rows.query(
    'select count(*)::int as quarters, sum(unfolded_count)::int as unfolded from occupancy_quarter where store_id = $1',
    [stores[0]],
  );
  expect(left?.['quarters']).toBe(1);
  expect(left?.['unfolded']).toBeLessThanOrEqual(count + 400);
});

test('folds later what writers left unfolded, so that a reader need not; what changes meanwhile stays for later', {
  timeout: 60_000,
}, async () => {
  const acme = await company();
  const { devices, committers, database, rows } = acme;
  const store = (journal: string, sequences: readonly number[]) =>
    committers[0]?.([
      {
        device: devices[0] ?? 0,
        journal,
        crossings: sequences.map((n) => ({
          sequence: n,
          at: begin + n * 100,
          direction: n % 3 === 0 ? (-1 as const) : (1 as const),
        })),
      },
    ]);
  const unfolded = () =>
    rows.query('select unfolded_count::int as count from occupancy_quarter where unfolded_from is not null');
  const all = Array.from({ length: 4_000 }, (_, n) => n + 1);
  for (let n = 0; n < 4_000; n += 1_000) await store('j', all.slice(n, n + 1_000));
  await store('early', [1]);
  expect(await unfolded()).toEqual([{ count: 4_001 }]);

  const [holder] = await Promise.all([
    foldUnfolded(database, { quarters: 16, rows: 1_000 }),
    store('meanwhile', [2]),
  ]);
  expect(holder).toBeLessThanOrEqual(1);
  while ((await unfolded()).length > 0) await foldUnfolded(database, { quarters: 16, rows: 1_000 });

  expect(await foldUnfolded(database, { quarters: 16, rows: 1_000 })).toBe(0);
  await expectRight(acme, [begin + 3 * minute, begin + 20 * minute]);
  await store('late', [3]);
  await expectRight(acme, [begin + 3 * minute, begin + 20 * minute]);
});

test('needs nothing anew when a store gets another zone or start of its day', async () => {
  const acme = await company();
  const date = '2026-10-25';
  const at = businessDayStart(date, { timeZone: 'Asia/Tokyo', dayStartsAt: '05:20' });
  await acme.committers[0]?.([
    {
      device: acme.devices[0] ?? 0,
      journal: 'j',
      crossings: [-1, 0, 1].map((offset, n) => ({ sequence: n + 1, at: at + offset, direction: 1 as const })),
    },
  ]);
  const days = [{ storeId: acme.stores[0] ?? 0, start: at }];
  const end = businessDayStart(addDays(date, 1), { timeZone: 'Asia/Tokyo', dayStartsAt: '05:20' }) - 1;
  expect(await occupancies(acme.database.kysely, days, end)).toEqual([{ occupancy: 2, latest: at + 1 }]);
  expect(await occupancies(acme.database.kysely, days, at)).toEqual([{ occupancy: 1, latest: at }]);
});

test('is made for all that is stored when the schema is brought up to date', async () => {
  const acme = await company();
  const { rows, devices, stores, database } = acme;
  const journals = await Promise.all(['b', 'B'].map((name) => rows.journal(devices[0] ?? 0, name)));
  await rows.crossings(
    Array.from({ length: 500 }, (_, n) => ({
      ...{ journalId: journals[n % 2] ?? 0, deviceId: devices[0] ?? 0, storeId: stores[n % 3] ?? 0 },
      ...{ sequence: n + 1, at: begin + ((n * 31) % 100) * 3 * minute, direction: n % 5 < 2 ? -1 : 1 },
    })),
  );
  await rows.query('drop table occupancy_quarter, assignment_version');
  await rows.query('drop function count_assignment_version cascade');
  await database.kysely.transaction().execute(up);

  await expectRight(acme, [begin + 100 * minute, begin + 200 * minute, begin + 299 * minute]);
  const before = await rows.query(
    'select store_id, quarter, sum, latest_at from occupancy_quarter order by 1, 2',
  );
  await rebuildQuarters(
    onKysely(database.kysely),
    before.map((row) => ({ storeId: Number(row['store_id']), quarter: Number(row['quarter']) })),
  );
  expect(
    await rows.query('select store_id, quarter, sum, latest_at from occupancy_quarter order by 1, 2'),
  ).toEqual(before);
});
