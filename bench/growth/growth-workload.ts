import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import type pg from 'pg';
import { now, type Workload } from '../api/workload.ts';
import { unitSecret, unitSerial } from '../shared/company.ts';

const stores = 200;
const perStoreAndDay = 1_000;
const day = 86_400_000;

/** So many million crossings of 200 stores, 1,000 of each a day, up to now: 5 days for each million. */
export function growthWorkload(millions: number): Workload {
  const days = (millions * 1_000_000) / (stores * perStoreAndDay);
  return {
    database: `growth_${millions}m`,
    stores,
    crossingsPerStore: days * perStoreAndDay,
    begin: new Date(now - days * day).toISOString(),
    every: day / 1_000 / perStoreAndDay,
  };
}

/** The last whole business days in every workload. */
export const lastDay = '2026-11-19';
export const threeDays = { from: '2026-11-17', to: lastDay };
/** Within the last hour in every workload. */
export const lastHour = '2026-11-20T18:30:00Z';

export const lifeSignalKey = 'key-of-the-benchmark';

/** Adds units that send to the gateway, in a company of their own, and what callers need, unless they are there. */
export async function addUnits(client: pg.Client, units: number): Promise<void> {
  const { rows } = await client.query(`select from company where name_key = 'units'`);
  if (rows.length > 0) return;
  const serials = Array.from({ length: units }, (_, index) => unitSerial(index));
  await client.query('begin');
  await client.query(
    `insert into credential (company_id, kind, label, hash) select id, 'life-signal', 'bench', $1 from company`,
    [hashSecret(lifeSignalKey)],
  );
  await client.query(
    `insert into shop_group (company_id, name, name_key, store_ids) values (1, 'Ten', 'ten', '{1,2,3,4,5,6,7,8,9,10}')`,
  );
  await client.query(`insert into company (name, name_key) values ('Units', 'units')`);
  await client.query(
    `insert into store (company_id, sid, name, time_zone)
     select company.id, n::text, 'Store ' || n, 'Europe/Berlin' from company, generate_series(1, $1::int) n
     where name_key = 'units'`,
    [units],
  );
  await client.query(
    `insert into device (company_id, serial, serial_key, name, secret_hash)
     select company.id, serial, lower(serial), serial, hash
     from company, unnest($1::text[], $2::bytea[]) as given (serial, hash) where name_key = 'units'`,
    [serials, serials.map((serial) => hashSecret(unitSecret(serial)))],
  );
  await client.query(
    `insert into device_assignment (device_id, since, store_id)
     select device.id, '-infinity', store.id
     from (select *, row_number() over (order by id) as place from device where company_id <> 1) device
     join store on store.company_id = device.company_id and store.sid = device.place::text`,
  );
  await client.query('insert into device_state (device_id) select id from device on conflict do nothing');
  await client.query('commit');
  await client.query('analyze');
}

/** Removes what the units have sent, so that the database is as before. */
export async function forgetUnits(client: pg.Client): Promise<void> {
  const units = 'select id from device where company_id <> 1';
  await client.query('truncate change');
  await client.query(
    `delete from crossing where journal_id in (select id from journal where device_id in (${units}))`,
  );
  await client.query(`delete from journal where device_id in (${units})`);
  const projection = ['quarter_state', 'quarter', 'day'];
  for (const table of projection)
    await client.query(`delete from ${table} where store_id in (select id from store where company_id <> 1)`);
  /* PostgreSQL does not automatically remove index entries of few removed rows of a large table; readers would read them. */
  await client.query(`vacuum (analyze, index_cleanup on) crossing, ${projection.join(', ')}`);
  await client.query('checkpoint');
}
