import type { ClientBase } from 'pg';
import { type DeviceCounts, listOfCounts, recordRewrites } from '../occupancy/change.ts';
import { foldStored } from '../occupancy/fold-stored.ts';
import { keyOfQuarter, type Quarter, startOfQuarter } from '../occupancy/quarter.ts';
import { removeDaysStatement } from '../projection/compose-days.ts';
import { readQuarterRows } from '../projection/quarter-rows.ts';
import { runRound } from '../projection/run-round.ts';
import { numberColumns } from '../sql/arrays.ts';
import { planByKeys } from '../sql/open-client.ts';
import { runStatement } from '../sql/run-statement.ts';
import { isSameFold, wrongDays } from './check-days.ts';

/** The result of comparing all derived numbers with the crossings and corrections. */
export interface OccupancyCheck {
  readonly quarters: number;
  /** Quarter hours of a store whose numbers, or those of their day, are not what its crossings and corrections give. */
  readonly wrong: readonly Quarter[];
}

/** Quarters that are compared at once. */
const atOnce = 500;

/**
 * Applies the change records that are pending, as the projector does, and then compares every quarter hour with its
 * crossings and corrections, except those that are final because crossings of that time may be removed. If they are right,
 * every business day is compared with its quarter hours. Nothing else may write to these tables meanwhile.
 */
export async function checkOccupancy(client: ClientBase): Promise<OccupancyCheck> {
  await client.query(`${planByKeys}; set enable_sort = off`);
  while ((await runRound(client)).records > 0);
  let after: Quarter = { storeId: -2_147_483_648, quarter: 0 };
  let quarters = 0;
  const wrong: Quarter[] = [];
  for (;;) {
    const last = [after.storeId, after.quarter, atOnce];
    const page = await runStatement<Quarter>(client, 'check-quarters', pageStatement, last);
    wrong.push(...(await wrongIn(client, page)));
    quarters += page.length;
    after = page.at(-1) ?? after;
    if (page.length < atOnce) break;
  }
  const lacking = await runStatement<Quarter>(client, 'check-lacking', lackingStatement, []);
  const found = [...wrong, ...lacking];
  return { quarters: quarters + lacking.length, wrong: found.length > 0 ? found : await wrongDays(client) };
}

/** Derives these quarter hours, and the days that contain them, from crossings and corrections at the next check. */
export async function deriveAgain(client: ClientBase, quarters: readonly Quarter[]): Promise<void> {
  await recordRewrites(client, quarters);
  await client.query(removeDaysStatement, numberColumns(quarters, 'storeId', 'quarter'));
}

async function wrongIn(client: ClientBase, page: readonly Quarter[]): Promise<Quarter[]> {
  const rows = await readQuarterRows(client, page);
  const counts = await readDeviceCounts(client, page);
  const derived = await foldStored(
    client,
    page.map(({ storeId, quarter }) => ({
      storeId,
      from: startOfQuarter(quarter),
      to: startOfQuarter(quarter + 1),
    })),
  );
  return page.filter((quarter, index) => {
    const [row, expected] = [rows.get(keyOfQuarter(quarter))?.folded, derived[index]];
    const counted = counts.get(keyOfQuarter(quarter)) ?? '';
    return !row || !expected || !isSameFold(row, expected) || counted !== textOf(expected.devices);
  });
}

/** What the devices have counted in each quarter, as text; without those that have counted nothing. */
async function readDeviceCounts(
  client: ClientBase,
  page: readonly Quarter[],
): Promise<ReadonlyMap<string, string>> {
  const values = numberColumns(page, 'storeId', 'quarter');
  const rows = await runStatement<{ storeId: number; quarter: number; counts: string }>(
    client,
    'check-devices',
    devices,
    values,
  );
  return new Map(rows.map((row) => [keyOfQuarter(row), row.counts]));
}

function textOf(devices: DeviceCounts): string {
  return listOfCounts(devices)
    .filter(([, entries, exits]) => entries !== 0 || exits !== 0)
    .map((counted) => counted.join(' '))
    .join();
}

/* Numbers before this instant are not derived from crossings any more: those may be removed. */
const isFinal = (quarter: string) => `exists (
  select from store join projection_seal using (company_id)
  where store.id = ${quarter}.store_id and to_timestamp(${quarter}.quarter::float8 * 900) < before)`;

const pageStatement = `
  select store_id as "storeId", quarter from occupancy_quarter
  where (store_id, quarter) > ($1::integer, $2::integer) and not ${isFinal('occupancy_quarter')}
  order by store_id, quarter limit $3::integer`;

/* `offset 0` makes the database look up each quarter by its key, whatever it estimates. */
const devices = `
  select found.store_id as "storeId", found.quarter,
    string_agg(concat_ws(' ', device_id, entries, exits), ',' order by device_id) as counts
  from unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter)
  cross join lateral (
    select * from device_quarter q
    where q.store_id = wanted.store_id and q.quarter = wanted.quarter and (entries <> 0 or exits <> 0)
    offset 0
  ) found
  group by found.store_id, found.quarter`;

/* Quarters that have crossings, corrections or counts, and no row. */
const lackingStatement = `
  select distinct found.store_id as "storeId", found.quarter
  from (
    select distinct store_id, floor(extract(epoch from at) / 900)::integer as quarter from crossing where store_id > 0
    union all select store_id, floor(extract(epoch from at) / 900)::integer from correction_in_force
    union all select store_id, quarter from device_quarter where entries <> 0 or exits <> 0
  ) found
  where not exists (
    select from occupancy_quarter q where q.store_id = found.store_id and q.quarter = found.quarter
  ) and not ${isFinal('found')}`;
