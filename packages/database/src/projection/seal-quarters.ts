import { nothingFolded } from '@visitor-counter/domain/occupancy';
import type { ClientBase } from 'pg';
import type { StoreRange } from '../crossings/crossings.ts';
import { type OccupancyPart, writeParts } from '../occupancy/final-quarters.ts';
import { foldStored } from '../occupancy/fold-stored.ts';
import { keyOfQuarter, type Quarter, quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';

/** A company whose quarters become final up to `to`, from `from` on (epoch ms). */
interface Sealing {
  readonly companyId: number;
  readonly from: number;
  readonly to: number;
}

/** About how many quarters one call divides because days begin within them, and about how many corrections divide others. */
const mostQuarters = 500;

/**
 * Makes quarters final whose crossings will be removed: of one company, as many as one call may divide into parts. The
 * transaction must be repeatable read, and see no pending change record.
 */
export async function sealQuarters(client: ClientBase): Promise<void> {
  const [due] = await runStatement<Sealing>(client, 'find-sealing', dueStatement, []);
  if (due === undefined) return;
  const stores = await runStatement<DividedStore>(client, 'find-divided-stores', storesStatement, [
    due.companyId,
  ]);
  const to = Math.min(due.to, await endOfStep(client, due, stores));
  const ranges = await dividedQuarters(client, { ...due, to }, stores);
  const folded = await foldStored(client, ranges, { corrects: false });
  /* Also parts without crossings: one that arrives late is added to the part of its instant. */
  const parts = ranges.map(({ storeId, from }, index): OccupancyPart => {
    const { stretch, devices } = folded[index] ?? { ...nothingFolded, devices: {} };
    return { storeId, from, stretch, devices };
  });
  await writeParts(client, parts);
  await runStatement(client, 'seal', sealStatement, [due.companyId, to]);
}

const dueStatement = `
  select pass.company_id as "companyId", (extract(epoch from coalesce(seal.before, '1970-01-01Z')) * 1000)::float8 as from,
    (extract(epoch from pass.removed_before) * 1000)::float8 as to
  from retention_pass pass left join projection_seal seal using (company_id)
  where finished_at is null and pass.removed_before > coalesce(seal.before, '1970-01-01Z')
  order by pass.company_id limit 1`;

const sealStatement = `
  insert into projection_seal (company_id, before) values ($1::integer, to_timestamp($2::float8 / 1000))
  on conflict (company_id) do update set before = excluded.before`;

/** A store whose days begin so many ms after a quarter began. */
interface DividedStore {
  readonly id: number;
  readonly offset: number;
}

const storesStatement = `
  select id, (extract(minute from day_starts_at::time)::integer % 15) * 60000 as offset
  from store where company_id = $1::integer and extract(minute from day_starts_at::time)::integer % 15 > 0
  order by id`;

/** The instant (epoch ms) up to which one call makes quarters final; a quarter ends there. */
async function endOfStep(client: ClientBase, due: Sealing, stores: readonly DividedStore[]): Promise<number> {
  const [row] = await runStatement<{ first: number | null; correction: number | null }>(
    client,
    'end-of-sealing',
    endStatement,
    [due.companyId, due.from, due.to, numberArray(stores.map(({ id }) => id))],
  );
  const window = Math.max(1, Math.floor(mostQuarters / Math.max(1, stores.length)));
  const { first = null, correction = null } = row ?? {};
  return Math.min(
    first === null ? Number.POSITIVE_INFINITY : startOfQuarter(first + window),
    correction === null ? Number.POSITIVE_INFINITY : startOfQuarter(quarterOf(correction) + 1),
  );
}

const endStatement = `
  select (
    select min(first.quarter) from unnest($4::integer[]) as divided (id)
    cross join lateral (
      select quarter from occupancy_quarter where store_id = divided.id
        and quarter >= floor($2::float8 / 900000)::integer and quarter < floor($3::float8 / 900000)::integer
      order by quarter limit 1
    ) first
  ) as first, (
    select (extract(epoch from at) * 1000)::float8 from correction_in_force
    join store on store.id = store_id
    where company_id = $1::integer and at >= to_timestamp($2::float8 / 1000) and at < to_timestamp($3::float8 / 1000)
    order by at offset ${mostQuarters} limit 1
  ) as correction`;

/** The parts of each quarter within which a business day begins, and of each quarter with a correction. */
async function dividedQuarters(
  client: ClientBase,
  { companyId, from, to }: Sealing,
  stores: readonly DividedStore[],
): Promise<StoreRange[]> {
  const rows = await runStatement<Division>(client, 'find-divisions', divisionsStatement, [
    companyId,
    from,
    to,
    ...numberColumns(stores, 'id', 'offset'),
  ]);
  const quarters = Map.groupBy(rows, keyOfQuarter);
  return [...quarters.values()].flatMap(partsOf);
}

/** A quarter and an instant (epoch ms) that divides it. */
interface Division extends Quarter {
  readonly at: number;
}

/* A correction comes after all crossings of its millisecond. */
const divisionsStatement = `
  select store_id as "storeId", floor(corrected / 900000)::integer as quarter, corrected + 1 as at
  from store join lateral (
    select store_id, (extract(epoch from at) * 1000)::float8 as corrected from correction_in_force
    where store_id = store.id
      and at >= to_timestamp($2::float8 / 1000) and at < to_timestamp($3::float8 / 1000)
  ) correction on true
  where company_id = $1::integer
  union all
  select store_id, quarter, quarter * 900000::float8 + divided.start
  from unnest($4::integer[], $5::integer[]) as divided (id, start)
  join occupancy_quarter on store_id = divided.id
    and quarter >= floor($2::float8 / 900000)::integer and quarter < floor($3::float8 / 900000)::integer`;

/** The parts of one quarter. */
function partsOf(divisions: readonly Division[]): StoreRange[] {
  const [{ storeId, quarter } = { storeId: 0, quarter: 0 }] = divisions;
  const end = startOfQuarter(quarter + 1);
  const within = divisions.map(({ at }) => at).filter((at) => at < end);
  const begins = [...new Set([startOfQuarter(quarter), ...within])].sort((a, b) => a - b);
  return begins.map((from, index) => ({ storeId, from, to: begins[index + 1] ?? end }));
}
