import { moveDevice } from '@visitor-counter/database/devices/write-device';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { occupancies } from '@visitor-counter/database/occupancy/occupancies';
import type { Rejection } from '@visitor-counter/database/rejected/rejected-entries';
import { connect } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { projected } from '@visitor-counter/test/projected';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished } from 'vitest';
import { storeIsolatingFailures } from '../src/ingest/isolate-failing-message.ts';

/** Of the stores, in their order. */
export const calendars = [
  { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  { timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:07' },
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
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const committers = [committer(url), committer(url)] as const;
  const move = (
    device: number,
    store: number,
    { since, until = Number.POSITIVE_INFINITY }: { since: number; until?: number },
    beforeCommit = async () => {},
  ) =>
    database.kysely.transaction().execute(async (trx) => {
      await moveDevice(trx, 'acme', { serial: `CU-${device}`, store: `S-${store}`, since, until });
      await beforeCommit();
    });
  return { url, rows, stores, devices, database, committers, move };
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
      connection.use(async (client, memory) => (await storeMessages(client, memory, some)).outcomes),
    );
  };
  /** How often the connection has run a statement of this name. */
  const runs = (name: string) =>
    connection.use(async (client) => {
      const { rows } = await client.query(runsStatement, [name]);
      return Number(rows[0]?.runs ?? 0);
    });
  return { store, runs };
}

const runsStatement =
  'select generic_plans + custom_plans as runs from pg_prepared_statements where name = $1';

/** Compares every store at some instants, and what each device has counted, with simple counts of the stored crossings. */
export async function expectRight(
  { url, rows, stores, database }: Awaited<ReturnType<typeof storingCompany>>,
  nows: number[],
) {
  await projected(url);
  expect(await rows.query('select * from device_quarter order by 1, 2, 3')).toEqual(
    await rows.query(
      `select store_id, floor(extract(epoch from at) / 900)::integer as quarter, device_id,
         (count(*) filter (where direction = 1))::integer as entries,
         (count(*) filter (where direction = -1))::integer as exits
       from crossing where store_id > 0 group by 1, 2, 3 order by 1, 2, 3`,
    ),
  );
  await expectRightDays(rows);
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
  }
}

/** Compares every row of a business day with the quarters that it names, one after the other. */
async function expectRightDays(rows: Seed) {
  const quarters = await rows.query('select * from occupancy_quarter order by store_id, quarter');
  const counts = await rows.query('select * from device_quarter');
  for (const day of await rows.query('select * from store_day')) {
    const isIn = ({ store_id, quarter }: Record<string, unknown>) =>
      store_id === day['store_id'] &&
      Number(quarter) >= Number(day['first_quarter']) &&
      Number(quarter) < Number(day['next_quarter']);
    const [own, counted] = [quarters.filter(isIn), counts.filter(isIn)];
    const sum = (field: string) => counted.reduce((total, row) => total + Number(row[field]), 0);
    const latest = own.map((row) => Number(row['latest_at'])).filter((at) => at > 0);
    expect(day).toMatchObject({ entries: sum('entries'), exits: sum('exits') });
    expect(Number(day['latest_at'])).toBe(Math.max(0, ...latest));
    for (const before of [0, 3, 1_000]) {
      let [occupancy, peak] = [before, before];
      for (const row of own) {
        peak = Math.max(peak, Number(row['peak_floor']), occupancy + Number(row['peak_sum']));
        occupancy = Math.max(Number(row['floor']), row['sum'] === null ? 0 : occupancy + Number(row['sum']));
      }
      expect(Math.max(Number(day['floor']), day['sum'] === null ? 0 : before + Number(day['sum']))).toBe(
        occupancy,
      );
      expect(Math.max(Number(day['peak_floor']), before + Number(day['peak_sum']))).toBe(peak);
    }
  }
}
