import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { runRound } from '@visitor-counter/database/projection/run-round';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';
import type pg from 'pg';
import { companyName, countsToken } from '../shared/company.ts';
import type { Workload } from './workload.ts';

/** Fills an empty database with a workload: the crossings in the order of their time, and their occupancy. */
export async function fill(client: pg.Client, workload: Workload): Promise<void> {
  const { stores, crossingsPerStore, begin, every } = workload;
  await client.query('set synchronous_commit = off; set work_mem = 256000; select setseed(0.5)');
  await client.query('insert into company (name, name_key) values ($1, lower($1))', [companyName]);
  await client.query(
    `insert into credential (company_id, kind, label, hash) values (1, 'counts', 'bench', $1)`,
    [hashSecret(countsToken)],
  );
  for (const statement of ownership) await client.query(statement, [stores]);
  const indexes = await dropIndexes(client);
  await client.query(crossings, [stores, crossingsPerStore, begin, every]);
  for (const statement of indexes) await client.query(statement);
  await client.query('vacuum (analyze) crossing');
  await client.query(marks);
  const db = preparedOn(client);
  while ((await runRound(db)).more);
  await client.query('vacuum (analyze)');
}

const ownership = [
  `insert into store (company_id, sid, name, time_zone)
   select 1, n::text, 'Store ' || lpad(n::text, 4, '0'), 'Europe/Berlin' from generate_series(1, $1::int) n`,
  `insert into device (company_id, serial, serial_key, name, secret_hash)
   select 1, 'CU-' || n, 'cu-' || n, 'Door', decode(repeat('00', 32), 'hex') from generate_series(1, $1::int) n`,
  `insert into device_assignment select n, '-infinity', n from generate_series(1, $1::int) n`,
  `insert into journal (device_id, name) select n, 'journal' from generate_series(1, $1::int) n`,
];

/** Drops the indexes of `crossing`, which makes filling faster, and returns the statements that create them. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'crossing' and indexname <> 'crossing_pkey'`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await client.query('alter table crossing drop constraint crossing_pkey');
  return [
    ...rows.map(({ definition }) => definition),
    'alter table crossing add primary key (journal_id, sequence)',
  ];
}

/* The stores in turn, so that the rows of a store are far apart in the table, as in production. */
const crossings = `
  insert into crossing (journal_id, device_id, sequence, at, store_id, direction, transaction)
  select store, store, n + 1,
    date_trunc('milliseconds', $3::timestamptz + (n + random() * 0.9) * $4::float8 * interval '1 second'),
    store, case when random() < 0.5 then 1 else -1 end, n
  from (
    select place % $1::int + 1 as store, place / $1::int as n
    from generate_series(0, $1::int * $2::int - 1) place
  ) placed`;

/* Ordered by quarter hour, as gateways write them. */
const marks = `
  insert into mark (store_id, quarter)
  select store_id, quarter from (
    select distinct store_id, floor(date_part('epoch', at) / 900)::integer as quarter from crossing
  ) counted
  order by quarter, store_id`;
