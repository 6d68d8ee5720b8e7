import { moveDevice } from '@visitor-counter/database/configuration/device';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import type { Rejection } from '@visitor-counter/database/rejected/store-rejected';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { type BusinessCalendar, businessDayOf, businessDays } from '@visitor-counter/domain/business-day';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished } from 'vitest';
import { storeIsolatingFailures } from '../src/ingest/isolate-failing-message.ts';

/** Of the stores, in their order. */
const calendars = [
  { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  { timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:15' },
  { timeZone: 'America/St_Johns', dayStartsAt: '02:30' },
];
/* Clocks are set back in Berlin on this night. */
export const begin = Date.parse('2026-10-24T20:00:00Z');
export const minute = 60_000;

/** A database with three stores of one company and four devices, and two connections that store. */
export async function storingCompany() {
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
  const database = connected(url);
  const committers = [committer(url), committer(url)] as const;
  const move = (device: number, store: number, { since }: { since: number }, beforeCommit = async () => {}) =>
    database.kysely.transaction().execute(async (trx) => {
      await moveDevice(trx, devices[device] ?? 0, stores[store] ?? 0, since);
      await beforeCommit();
    });
  return { url, rows, companyId, stores, devices, database, committers, move };
}

/** Who enters corrections. */
export async function staffOf({ rows, companyId }: Awaited<ReturnType<typeof storingCompany>>) {
  const credentialId = await rows.credential({ companyId, kind: 'staff', value: 'token' });
  return { author: kim, note: '', credentialId };
}

export type Message = {
  device: number;
  journal: string;
  crossings: NumberedCrossing[];
  rejections?: readonly Rejection[];
};

/** Stores as a gateway does: retries immediately after a deadlock. */
function committer(url: string) {
  const connection = new StoringConnection(url, 'test committer');
  onTestFinished(() => connection.close());
  const store = async (messages: readonly Message[]) => {
    const toStore = messages.map(({ device, journal, crossings, rejections = [] }) => ({
      deviceId: device,
      topic: 't',
      batch: { journal, crossings },
      rejections,
    }));
    return storeIsolatingFailures(toStore, (some) =>
      connection.use(async (db, journals) => (await storeMessages(db, journals, some)).outcomes),
    );
  };
  return { store };
}

type Company = Pick<Awaited<ReturnType<typeof storingCompany>>, 'url' | 'rows' | 'stores' | 'database'>;

/** A crossing, or a correction, which has `people`. */
interface Act {
  readonly storeId: number;
  readonly at: number;
  readonly change: number;
  readonly people: number | null;
}

/** Compares the projection, and every store at some instants, with folds of the stored crossings and corrections by hand. */
export async function expectRight(company: Company, nows: readonly number[]): Promise<void> {
  const { url, rows } = company;
  await projected(url);
  expect(await rows.query(quarters)).toEqual(await rows.query(countedQuarters));
  const acts = (await rows.query(allActs)) as unknown as Act[];
  await expectRightStates(rows, acts);
  await expectRightDays(rows, acts);
  for (const now of nows) await expectRightAt(company, acts, now);
}

const quarters = 'select store_id, quarter, device_id, entries, exits from quarter order by 1, 2, 3';

const countedQuarters = `
  select store_id, floor(extract(epoch from at) / 900)::integer as quarter, device_id,
    (count(*) filter (where direction = 1))::integer as entries,
    (count(*) filter (where direction = -1))::integer as exits
  from crossing where store_id > 0 group by 1, 2, 3 order by 1, 2, 3`;

const allActs = `
  select store_id as "storeId", (extract(epoch from at) * 1000)::float8 as at, change, people
  from (
    select store_id, at, 0 as step, device_id, journal_id, sequence, direction as change, null as people
    from crossing where store_id > 0
    union all
    select store_id, at, 1, 0, 0, id, 0, people from correction_in_force
  ) act
  order by store_id, at, step, device_id, journal_id, sequence`;

/** What acts do to an occupancy: the one after them, and the highest one. */
function folded(acts: readonly Act[], before = 0) {
  let [occupancy, peak] = [before, before];
  for (const { change, people } of acts) {
    occupancy = people ?? Math.max(0, occupancy + change);
    peak = Math.max(peak, occupancy);
  }
  return { occupancy, peak };
}

async function expectRightStates(rows: Seed, acts: readonly Act[]) {
  const expected = Map.groupBy(acts, ({ storeId, at }) => `${storeId} ${Math.floor(at / (15 * minute))}`);
  const states = await rows.query('select * from quarter_state');
  const found = new Map(states.map((row) => [`${row['store_id']} ${row['quarter']}`, row]));
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [key, own] of expected) {
    const { sum, floor, peak_sum, peak_floor, latest_at } = found.get(key) ?? {};
    expect(latest_at).toBe(own.at(-1)?.at);
    for (const before of [0, 1, 3, 1_000]) {
      const occupancy = Math.max(Number(floor), before + Number(sum));
      const peak = Math.max(Number(peak_floor), before + Number(peak_sum));
      expect({ occupancy, peak }).toEqual(folded(own, before));
    }
  }
}

async function expectRightDays(rows: Seed, acts: readonly Act[]) {
  const stores = await rows.query(calendarsOfStores);
  const daysOf = new Map(stores.map(({ id, calendar }) => [id, businessDays(calendar as BusinessCalendar)]));
  const days = Map.groupBy(acts, ({ storeId, at }) => `${storeId} ${daysOf.get(storeId)?.(at).date}`);
  const expected = [...days].map(([key, own]) => ({
    key,
    entries: own.filter(({ change }) => change > 0).length,
    exits: own.filter(({ change }) => change < 0).length,
    ...folded(own),
    latest: own.at(-1)?.at,
  }));
  const found = await rows.query(
    `select concat(store_id, ' ', date) as key, entries, exits, occupancy, peak,
       (extract(epoch from latest_at) * 1000)::float8 as latest
     from day order by store_id, date`,
  );
  expect(found).toEqual(expected.toSorted((a, b) => compareKeys(a.key, b.key)));
}

function compareKeys(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1);
}

const calendarsOfStores = `
  select id, json_build_object('timeZone', time_zone, 'dayStartsAt', day_starts_at) as calendar from store`;

async function expectRightAt({ rows, stores, database }: Company, acts: readonly Act[], now: number) {
  const known = await rows.query(calendarsOfStores);
  const calendarOf = new Map(known.map(({ id, calendar }) => [id, calendar as BusinessCalendar]));
  const asked = stores.map((id) => ({
    id,
    calendar: calendarOf.get(id) ?? { timeZone: 'UTC', dayStartsAt: '00:00' },
  }));
  const expected = asked.map((store) => {
    const day = businessDayOf(now, store.calendar);
    const today = acts.filter(({ storeId, at }) => storeId === store.id && at >= day.start && at <= now);
    return { store, day, occupancy: folded(today).occupancy, latest: today.at(-1)?.at };
  });
  await using snapshot = await openSnapshot(database);
  expect(await occupancies(snapshot.db, asked, now)).toEqual(expected);
}
