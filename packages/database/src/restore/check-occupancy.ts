import { type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import type { ClientBase } from 'pg';
import { type DeviceCounts, listOfCounts, recordRewrites } from '../occupancy/change.ts';
import { foldStored } from '../occupancy/fold-stored.ts';
import { keyOfQuarter, type Quarter, startOfQuarter } from '../occupancy/quarter.ts';
import type { QuarterRange } from '../occupancy/read-quarters.ts';
import { foldDays, removeDaysStatement } from '../projection/compose-days.ts';
import { readQuarterRows } from '../projection/quarter-rows.ts';
import { runRound } from '../projection/run-round.ts';
import { numberColumns } from '../sql/arrays.ts';
import { planByKeys } from '../sql/open-client.ts';
import { runStatement } from '../sql/run-statement.ts';

/** The result of comparing all derived numbers with the crossings and corrections. */
export interface OccupancyCheck {
  readonly quarters: number;
  /** Quarter hours of a store whose numbers, or those of their day, are not what its crossings and corrections give. */
  readonly wrong: readonly Quarter[];
}

/** Quarters, or days, that are compared at once. */
const atOnce = 500;

/**
 * Applies the pending change records, as the projector does. Then compares every quarter hour with its
 * crossings and corrections, except final ones: their crossings may be removed. If they are right, every
 * business day is compared with its quarter hours. Nothing else may write to these tables meanwhile.
 */
export async function checkOccupancy(client: ClientBase): Promise<OccupancyCheck> {
  await client.query(`${planByKeys}; set enable_sort = off`);
  while ((await runRound(client)).records > 0);
  let quarters = 0;
  const wrong: Quarter[] = [];
  for await (const page of pagesOf<Quarter>(client, 'check-quarters', pageStatement)) {
    wrong.push(...(await wrongIn(client, page)));
    quarters += page.length;
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

/** The rows of a statement in pages; it begins after a store and a quarter. */
async function* pagesOf<Row extends Quarter>(
  client: ClientBase,
  name: string,
  statement: string,
): AsyncGenerator<readonly Row[]> {
  let after: Quarter = { storeId: -2_147_483_648, quarter: 0 };
  for (;;) {
    const values = [after.storeId, after.quarter, atOnce];
    const page = await runStatement<Row>(client, name, statement, values);
    yield page;
    if (page.length < atOnce) return;
    after = page.at(-1) ?? after;
  }
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

/**
 * A row of a business day, by its first quarter; a sum or an instant of null is -Infinity. `hasCounts`: entries and exits
 * are those of its quarters.
 */
interface DayRow extends QuarterRange, Quarter {
  readonly sum: number | null;
  readonly floor: number;
  readonly peakSum: number;
  readonly peakFloor: number;
  readonly latest: number | null;
  readonly hasCounts: boolean;
}

/** The business days whose rows do not equal the quarters that they name, each by the last of these quarters. */
async function wrongDays(client: ClientBase): Promise<Quarter[]> {
  const wrong: Quarter[] = [];
  for await (const page of pagesOf<DayRow>(client, 'check-days', daysStatement)) {
    const overlapping = page.filter((row, index) => overlap(row, page[index - 1]));
    const apart = page.filter((row) => !overlapping.includes(row));
    for (const rows of [apart, ...overlapping.map((row) => [row])]) {
      const folded = await foldDays(client, rows);
      const differs = (row: DayRow, index: number) =>
        !row.hasCounts || !isSameFold(foldedIn(row), folded[index] ?? nothingFolded);
      wrong.push(...rows.filter(differs).map(({ storeId, next }) => ({ storeId, quarter: next - 1 })));
    }
  }
  return wrong;
}

/** Rows of two calendars that the store has had. */
function overlap(row: QuarterRange, before: QuarterRange | undefined): boolean {
  return before?.storeId === row.storeId && before.next > row.first;
}

function foldedIn({ sum, floor, peakSum, peakFloor, latest }: DayRow): Folded {
  return {
    stretch: { sum: sum ?? Number.NEGATIVE_INFINITY, floor, peakSum, peakFloor },
    latest: latest ?? Number.NEGATIVE_INFINITY,
  };
}

function isSameFold(a: Folded, b: Folded): boolean {
  return (
    a.latest === b.latest &&
    a.stretch.sum === b.stretch.sum &&
    a.stretch.floor === b.stretch.floor &&
    a.stretch.peakSum === b.stretch.peakSum &&
    a.stretch.peakFloor === b.stretch.peakFloor
  );
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

const daysStatement = `
  select day.store_id as "storeId", first_quarter as quarter, first_quarter as first,
    next_quarter as next, sum, floor, peak_sum as "peakSum",
    peak_floor as "peakFloor", (extract(epoch from latest_at) * 1000)::float8 as latest,
    (day.entries, day.exits) = (counted.entries, counted.exits) as "hasCounts"
  from store_day day
  cross join lateral (
    select coalesce(sum(entries), 0) as entries, coalesce(sum(exits), 0) as exits
    from device_quarter device
    where device.store_id = day.store_id and quarter >= first_quarter and quarter < next_quarter
  ) counted
  where (day.store_id, first_quarter) > ($1::integer, $2::integer)
  order by day.store_id, first_quarter limit $3::integer`;
