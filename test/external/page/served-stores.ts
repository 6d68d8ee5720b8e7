import { connect } from '@visitor-counter/database/sql/connect';
import type { Seed } from '@visitor-counter/test/seed';
import { startedOnce } from '@visitor-counter/test/started-once';
import { inject } from 'vitest';
import { openPage } from './open-page.ts';
import { staffToken } from './served-page.ts';

export interface SeededStore {
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly timeZone: string;
  readonly capacity: number | null;
  /** In the order of their instants (epoch ms). */
  readonly crossings: readonly { readonly at: number; readonly direction: 1 | -1 }[];
}

const zones = ['Europe/London', 'America/Los_Angeles', 'Asia/Tokyo'] as const;
const cities = ['Aarhus', 'Berlin', 'Celje', 'Dublin', 'Évora'] as const;

/** Names that break lines and directions of writing: the second and the third store. */
export const longName = 'Kaufhaus am Donaudampfschifffahrtsgesellschaftsplatz (Untergeschoss, Eingang Süd)';
export const hebrewName = 'עזריאלי (תל אביב) קומה 3';

/** The fourth store has a unit that is offline, the fifth has no visitors. */
export const offlineSid = 'S-0004';
export const emptySid = 'S-0005';

/** A company with so many stores, one door each, and an api that serves the page, for the tests of a file. */
export function storesForTests(count: number) {
  return startedOnce(async (atEnd) => {
    const { rows, databaseUrl, api, pageUrl } = await openPage(atEnd);
    const stores = await seedStores(rows, count, Date.now());
    return { rows, stores, api, pageUrl, database: switchFor(databaseUrl), walkIn: walkerFor(rows) };
  });
}

/** Lets people come in at a store now. */
function walkerFor(rows: Seed) {
  return async (sid: string, people: number) => {
    const [door] = await rows.query(
      `select store.id as store_id, journal.device_id, journal.id as journal_id,
         (select coalesce(max(sequence), 0) from crossing where journal_id = journal.id) as last
       from store join device_assignment on store_id = store.id join journal using (device_id) where sid = $1`,
      [sid],
    );
    const of = (name: string) => Number(door?.[name]);
    const ids = { storeId: of('store_id'), deviceId: of('device_id'), journalId: of('journal_id') };
    const now = Date.now();
    await rows.crossings(
      Array.from({ length: people }, (_, n) => ({
        ...ids,
        sequence: of('last') + n + 1,
        at: now - people + n,
        direction: 1 as const,
      })),
    );
  };
}

/** Makes the database unavailable for everybody, and available again. */
function switchFor(url: string) {
  const name = new URL(url).pathname.slice(1);
  const run = async (statement: string) => {
    const { pool, close } = connect(inject('databaseServer'), { applicationName: 'test', maxConnections: 1 });
    await pool.query(statement);
    await close();
  };
  return {
    disconnect: async () => {
      await run(`alter database ${name} with allow_connections false`);
      await run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    },
    reconnect: () => run(`alter database ${name} with allow_connections true`),
  };
}

async function seedStores(rows: Seed, count: number, now: number): Promise<SeededStore[]> {
  const companyId = await rows.company('Acme');
  await rows.credential({ companyId, kind: 'staff', value: staffToken });
  const stores = Array.from({ length: count }, (_, index) => storeAt(index, now));
  const inserted = await rows.query(insertStores, [companyId, JSON.stringify(stores)]);
  const ids = new Map(inserted.map((row) => [String(row['sid']), row]));
  const idOf = (sid: string, of: string) => Number(ids.get(sid)?.[of]);
  const half = Math.ceil(count / 2);
  const storeIds = stores.map(({ sid }) => idOf(sid, 'store_id'));
  await rows.shopGroup(companyId, 'North', storeIds.slice(0, half));
  await rows.shopGroup(companyId, 'South', storeIds.slice(half));
  await rows.crossings(
    stores.flatMap(({ sid, crossings }) => {
      const of = {
        journalId: idOf(sid, 'journal_id'),
        deviceId: idOf(sid, 'device_id'),
        storeId: idOf(sid, 'store_id'),
      };
      return crossings.map((crossing, index) => ({ ...of, ...crossing, sequence: index + 1 }));
    }),
  );
  return stores.map((store) => ({ ...store, id: idOf(store.sid, 'store_id') }));
}

function storeAt(index: number, now: number): Omit<SeededStore, 'id'> {
  const sid = `S-${String(index + 1).padStart(4, '0')}`;
  const city = cities[index % cities.length] ?? '';
  const special = [undefined, longName, hebrewName][index];
  return {
    sid,
    name: special ?? `${city} ${Math.floor(index / cities.length) + 1}`,
    timeZone: zones[index % zones.length] ?? 'UTC',
    capacity: index % 4 === 0 ? 20 : null,
    crossings: sid === emptySid ? [] : crossingsOf(index, now),
  };
}

/** Some people of the last hours, of yesterday, and of the same weekday a week ago. More come than go. */
function crossingsOf(index: number, now: number) {
  const people = [0, 1, 7].flatMap((day) =>
    Array.from({ length: 4 + ((index * 5 + day) % 7) }, (_, n) => ({
      at: now - day * 86_400_000 - 120_000 - n * 2_400_000 - (index % 60) * 1_000,
      direction: n % 3 === 2 ? (-1 as const) : (1 as const),
    })),
  );
  return people.sort((a, b) => a.at - b.at);
}

/** Each with a door called after where it is, whose unit has delivered everything. */
const insertStores = `
  with given as (
    select * from json_to_recordset($2) as g(sid text, name text, "timeZone" text, capacity int, crossings json)
  ), added as (
    insert into store (company_id, sid, name, address, city, time_zone, day_starts_at, capacity)
    select $1, sid, name, '1 High St', 'Irvine', "timeZone", '00:00', capacity from given returning id, sid
  ), door as (
    insert into device (company_id, serial, serial_key, name, secret_hash)
    select $1, 'CU-' || sid, lower('CU-' || sid), 'Main entrance', sha256(sid::bytea) from added returning id, serial
  ), known as (
    select added.sid, added.id as store_id, door.id as device_id from added join door on door.serial = 'CU-' || added.sid
  ), assigned as (
    insert into device_assignment select device_id, '-infinity', store_id from known
  ), report as (
    insert into device_state (device_id, last_activity_at, heartbeat_at, heartbeat, online, online_changed_at)
    select device_id, now(), now(), json_build_object('at', floor(extract(epoch from now()) * 1000),
      'journal', 'a', 'recorded', json_array_length(crossings), 'acknowledged', json_array_length(crossings),
      'clock', 'synced', 'version', '1.2.0', 'beams', json_build_array(
        json_build_object('name', 'outer', 'state', 'clear', 'since', 0, 'breaks', 0),
        json_build_object('name', 'inner', 'state', 'clear', 'since', 0, 'breaks', 0))),
      sid <> '${offlineSid}', now() - interval '3 hours'
    from known join given using (sid)
  ), journals as (
    insert into journal (device_id, name) select device_id, 'a' from known returning id, device_id
  )
  select sid, store_id, device_id, journals.id as journal_id from known join journals using (device_id)`;
