import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { quarterOf } from '@visitor-counter/database/occupancy/quarter';
import { composeDays } from '@visitor-counter/database/projection/compose-days';
import type pg from 'pg';
import { companyName, countsToken } from '../shared/company.ts';
import { now, type Workload } from './workload.ts';

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
  await client.query(quarters);
  await client.query(deviceQuarters);
  await composeAllDays(client, workload);
  await client.query('vacuum (analyze)');
}

/** Composes all days of all stores, as the projector does. */
async function composeAllDays(client: pg.Client, { stores, begin }: Workload): Promise<void> {
  /* At least one quarter hour in each day, even where clocks change. */
  const interval = 12 * 60 * 60 * 1_000;
  for (let storeId = 1; storeId <= stores; storeId += 1) {
    const written = [];
    for (let at = Date.parse(begin); at < now + interval; at += interval)
      written.push({ storeId, quarter: quarterOf(Math.min(at, now)) });
    await composeDays(client, written, now);
  }
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

/* Ordered by quarter hour, as the projector writes them. */
const quarters = `
  insert into occupancy_quarter (store_id, quarter, sum, floor, peak_sum, peak_floor, latest_at)
  select store_id, quarter, sum(direction), sum(direction) - min(so_far), greatest(0, max(so_far)),
    max(so_far - lowest), max(at)
  from (
    select *, min(so_far) over (partition by store_id, quarter order by at, sequence rows unbounded preceding) as lowest
    from (
      select store_id, quarter, at, sequence, direction, sum(direction) over (
        partition by store_id, quarter order by at, sequence rows unbounded preceding
      ) as so_far
      from (select *, floor(date_part('epoch', at) / 900)::integer as quarter from crossing) crossing
    ) crossing
  ) crossing
  group by store_id, quarter
  order by quarter, store_id`;

const deviceQuarters = `
  insert into device_quarter (store_id, quarter, device_id, entries, exits)
  select store_id, floor(date_part('epoch', at) / 900)::integer, device_id,
    count(*) filter (where direction = 1), count(*) filter (where direction = -1)
  from crossing group by 1, 2, 3
  order by 2, 1, 3`;
