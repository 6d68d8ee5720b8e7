import { enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import { quarterOf } from '@visitor-counter/database/occupancy/quarter';
import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { projected } from '@visitor-counter/test/projected';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  begin,
  expectRight,
  type Message,
  minute,
  staffOf,
  storingCompany,
} from '../../test/storing-company.ts';

const message = fc.record({
  device: fc.nat({ max: 3 }),
  journal: fc.constantFrom('b', 'B', 'é'),
  crossings: fc.array(
    fc.record({
      /* Few keys, so that many repeat, with the same or another content. */
      sequence: fc.integer({ min: 1, max: 60 }),
      /* Few instants, so that devices and journals often share one. */
      at: fc.nat({ max: 150 }).map((step) => begin + step * 10 * minute + (step % 3) * 499),
      direction: fc.constantFrom<1 | -1>(1, 1, -1),
    }),
    { minLength: 1, maxLength: 40 },
  ),
});
/** The time on the clock of a caller. */
const instant = fc.nat({ max: 30 * 60 }).map((minutes) => begin + minutes * minute);
const batch = fc.array(message, { minLength: 1, maxLength: 4 });
const entry = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ corrects: fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 150 * 10 }), fc.nat(9)) }),
  },
  { weight: 2, arbitrary: fc.record({ undoes: fc.nat() }) },
);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ together: fc.tuple(batch, batch), entries: fc.array(entry, { maxLength: 2 }) }),
  },
  { weight: 2, arbitrary: entry },
  {
    weight: 1,
    arbitrary: fc.record({
      move: fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 }), fc.nat({ max: 150 * 10 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ voids: fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 150 * 10 })) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      calendar: fc.tuple(
        fc.nat({ max: 2 }),
        fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu'),
        fc.constantFrom('00:00', '05:15', '22:30'),
      ),
    }),
  },
);

test('equals a fold by hand at every step, with repeated, late, conflicting and voided crossings, undone corrections, moves and calendars', async () => {
  const acme = await storingCompany();
  const { url, rows, devices, committers, move, database } = acme;
  const author = await staffOf(acme);
  let corrections: { id: number; storeId: number; at: number }[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.array(instant, { maxLength: 4 }),
      async (steps, nows) => {
        await rows.query(
          `truncate crossing, mark, device_move, quarter_state, quarter, day, rejected_message`,
        );
        await rows.query(`delete from device_assignment where since > '-infinity'`);
        await rows.query('begin; set local session_replication_role = replica; delete from entry; commit');
        corrections = [];
        for (const taken of steps) {
          if ('move' in taken) await moveAt(taken.move);
          else if ('voids' in taken) await voidFrom(taken.voids);
          else if ('corrects' in taken || 'undoes' in taken) await enter(taken);
          else if ('calendar' in taken) await setCalendar(taken.calendar);
          else {
            const named = taken.together.map((messages) =>
              messages.map((one) => ({ ...one, device: devices[one.device] ?? 0 })),
            );
            await Promise.all([
              ...named.map((messages, n) => committers[n]?.store(messages)),
              ...taken.entries.map(enter),
              projected(url),
            ]);
          }
          await expectRight(acme, [...nows, begin + 10 * 60 * minute]);
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );

  async function voidFrom([device, minutes]: [number, number]) {
    const range = { from: begin + minutes * minute, until: begin + (minutes + 200) * minute };
    const order = { deviceId: devices[device] ?? 0, ...range, reason: 'test', author: kim };
    await voidCrossings(database.kysely, order).catch((error) =>
      expect(String(error)).toMatch(/no crossings of the device count/),
    );
  }

  async function setCalendar([store, timeZone, dayStartsAt]: [number, string, string]) {
    await rows.query('update store set time_zone = $1, day_starts_at = $2 where sid = $3', [
      timeZone,
      dayStartsAt,
      `S-${store}`,
    ]);
  }

  async function enter(entered: { corrects: [number, number, number] } | { undoes: number }) {
    if ('corrects' in entered) {
      const [store, minutes, people] = entered.corrects;
      const correction = { storeId: acme.stores[store] ?? 0, at: begin + minutes * minute };
      const id = await enterEntry(database.kysely, 'correction', { ...author, ...correction, people });
      corrections.push({ id, ...correction });
      return;
    }
    const [undone] = corrections.splice(entered.undoes % Math.max(1, corrections.length), 1);
    if (undone) expect(await undoEntry(database.kysely, 'correction', undone, author)).toBe(true);
  }

  async function moveAt([device, store, minutes]: [number, number, number]) {
    await move(device, store, { since: begin + minutes * minute });
  }
});

test('is right with thousands of crossings of one quarter hour out of order, while the projector runs', async () => {
  const acme = await storingCompany();
  const { devices, committers, url } = acme;
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
    await Promise.all([...parts.map((messages, n) => committers[n]?.store(messages)), projected(url)]);
    if (start % 2_000 === 0) await expectRight(acme, [begin + 7 * minute, begin + 20 * minute]);
  }
  await expectRight(acme, [begin + 7 * minute, begin + 20 * minute]);
});

test('is right when crossings of two doors arrive a little, or much, out of order, and repeated at another gateway', async () => {
  const acme = await storingCompany();
  const { rows, devices, committers, url } = acme;
  const lateness = fc.oneof(
    { weight: 8, arbitrary: fc.nat(400) },
    { weight: 1, arbitrary: fc.nat(20 * minute) },
  );
  const message = fc.record({
    isSecond: fc.boolean(),
    committer: fc.constantFrom<0 | 1>(0, 1),
    lateness,
    isOut: fc.boolean(),
    hasRound: fc.boolean(),
    count: fc.integer({ min: 1, max: 9 }),
    /* How many of the latest crossings are repeated with them. */
    again: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
  });
  const derived = { quarters: 0, whole: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 10, maxLength: 60 }), async (messages) => {
      await rows.query('truncate crossing, mark, quarter_state, quarter, day');
      const sent: [Message['crossings'], Message['crossings']] = [[], []];
      for (const [index, { isSecond, lateness: late, isOut, ...one }] of messages.entries()) {
        const door = isSecond ? 3 : 0;
        const at = begin + 30 * minute + index * 200 - late;
        const own = sent[isSecond ? 1 : 0];
        const repeated = Math.min(one.again, own.length);
        own.push(
          ...Array.from({ length: one.count }, (_, n) => ({
            sequence: own.length + n + 1,
            at: at + n * 30,
            direction: isOut ? (-1 as const) : (1 as const),
          })),
        );
        const crossings = own.slice(-repeated - one.count);
        await committers[one.committer].store([
          { device: devices[door] ?? 0, journal: `j${door}`, crossings },
        ]);
        if (!one.hasRound) continue;
        const { quarters, whole } = await projected(url);
        derived.quarters += quarters;
        derived.whole += whole;
      }
      expect(await rows.query('select from crossing')).toHaveLength(sent.flat().length);
      await expectRight(acme, [begin + 30 * minute + 5_000, begin + 10 * 60 * minute]);
    }),
    { numRuns: 30, endOnFailure: true },
  );
  expect(derived.whole).toBeGreaterThan(0);
  expect(derived.quarters).toBeGreaterThan(2 * derived.whole);
});

/** Staff enter that five people were inside. */
async function correctTo5(acme: Awaited<ReturnType<typeof storingCompany>>, storeId: number, at: number) {
  const correction = { ...(await staffOf(acme)), storeId, at, people: 5 };
  await enterEntry(acme.database.kysely, 'correction', correction);
}

test('is right when crossings of two doors arrive out of order after a correction', async () => {
  const acme = await storingCompany();
  const { url, devices, stores, committers, database } = acme;
  const [storeId = 0] = stores;
  await correctTo5(acme, storeId, begin + minute / 2);
  const before = Array.from({ length: 20 }, (_, n) => ({
    sequence: n + 1,
    at: begin - 40 * minute,
    direction: 1 as const,
  }));
  await committers[0].store([{ device: devices[0] ?? 0, journal: 'before', crossings: before }]);
  for (const [index, minutes] of [4, 3, 6, 5].entries()) {
    const crossings = [{ sequence: 1 + index, at: begin + minutes * minute, direction: 1 as const }];
    await committers[0].store([{ device: devices[index % 2 ? 3 : 0] ?? 0, journal: 'j', crossings }]);
    await projected(url);
  }
  const store = { id: storeId, calendar: { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' } };
  expect(await occupancies(database.kysely, [store], begin + 20 * minute)).toMatchObject([
    { day: { date: '2026-10-24' }, occupancy: 9, latest: begin + 6 * minute },
  ]);
  await expectRight(acme, [begin + 4 * minute]);
});

test('is rebuilt from the stored crossings and corrections', async () => {
  const acme = await storingCompany();
  const { url, rows, devices, stores, database } = acme;
  const journals = await Promise.all(['b', 'B'].map((name) => rows.journal(devices[0] ?? 0, name)));
  await rows.crossings(
    Array.from({ length: 500 }, (_, n) => ({
      journalId: journals[n % 2] ?? 0,
      deviceId: devices[0] ?? 0,
      storeId: stores[n % 3] ?? 0,
      sequence: n + 1,
      at: begin + ((n * 31) % 100) * 3 * minute,
      direction: n % 5 < 2 ? -1 : 1,
    })),
  );
  const states = () => rows.query('select * from quarter_state order by 1, 2');
  const [storeId = 0] = stores;
  const at = begin - 48 * 60 * minute;
  await correctTo5(acme, storeId, at);
  await projected(url);
  const before = await states();
  expect(before[0]).toMatchObject({ store_id: storeId, floor: 5 });
  await rows.query('delete from quarter_state where latest_at = $1', [new Date(at)]);
  await rows.query('insert into quarter values ($1, $3, $2, 7, 7, 7, 7)', [
    storeId,
    devices[0],
    quarterOf(begin) - 1_000,
  ]);
  await rows.query('update day set occupancy = 7, entries = 7');
  await rows.query(`insert into day values ($1, '2026-01-01', 1, 1, 1, 1, now())`, [storeId]);
  const { length: half } = await rows.query('delete from quarter_state where quarter % 2 = 0 returning 1');
  await rows.query('update quarter_state set sum = sum + 1, settled_sum = settled_sum + 1');

  expect(half).toBeGreaterThan(0);
  expect(await database.kysely.transaction().execute(rebuildProjection)).toBe(before.length + 1);
  await projected(url);

  expect(await states()).toEqual(before);
  await expectRight(acme, [begin + 60 * minute, begin + 600 * minute]);
  await expectRight(acme, [begin + 100 * minute, begin + 200 * minute, begin + 299 * minute]);
});
