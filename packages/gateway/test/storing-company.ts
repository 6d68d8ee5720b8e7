import { moveDevice } from '@visitor-counter/database/devices/write-device';
import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { storingErrorPolicy } from '@visitor-counter/database/ingest/storing-error';
import { occupancies } from '@visitor-counter/database/occupancy/occupancies';
import { connect } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { projected } from '@visitor-counter/test/projected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished } from 'vitest';
import { storeIsolatingFailures } from '../src/ingest/store-within-limits.ts';

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

export type Message = { device: number; journal: string; crossings: NumberedCrossing[] };

/** Stores as a gateway does: retries immediately after a deadlock. */
function committer(url: string) {
  const connection = new StoringConnection(url, 'test committer');
  onTestFinished(() => connection.close());
  const keepAfter = (error: unknown) => storingErrorPolicy(error) !== 'later';
  const store = async (messages: readonly Message[]) => {
    const toStore = messages.map(({ device, journal, crossings }) => ({
      ...{ deviceId: device, topic: 't', batch: { journal, crossings }, rejections: [] },
    }));
    return storeIsolatingFailures(toStore, (some) =>
      connection.use(
        async (client, memory) => (await storeMessages(client, memory, some)).outcomes,
        keepAfter,
      ),
    );
  };
  /** How often the connection has run a statement of this name. */
  const runs = (name: string) =>
    connection.use(async (client) => {
      const { rows } = await client.query(runsStatement, [name]);
      return Number(rows[0]?.runs ?? 0);
    }, keepAfter);
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
