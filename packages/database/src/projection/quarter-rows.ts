import { nothingFolded } from '@visitor-counter/domain/occupancy';
import type { ClientBase } from 'pg';
import { listOfCounts } from '../occupancy/change.ts';
import { keyOfQuarter, type Quarter, stretchColumns } from '../occupancy/quarter.ts';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { Base, FoldedQuarter, KnownQuarter } from './apply-changes.ts';

/** `floor` is null if there is no row; a sum or an instant of null is -Infinity. */
interface QuarterRow extends Quarter {
  readonly sum: number | null;
  readonly floor: number | null;
  readonly peakSum: number;
  readonly peakFloor: number;
  readonly latest: number | null;
  readonly base: Base | null;
  readonly isFinal: boolean;
}

/** What the projection contains of each of these quarters (`occupancy_quarter`), by `keyOfQuarter`. */
export async function readQuarterRows(
  client: ClientBase,
  quarters: readonly Quarter[],
): Promise<ReadonlyMap<string, KnownQuarter>> {
  const rows = await runStatement<QuarterRow>(client, 'read-quarter-rows', readStatement, keysOf(quarters));
  return new Map(rows.map((row) => [keyOfQuarter(row), knownQuarter(row)]));
}

function knownQuarter({ sum, floor, peakSum, peakFloor, latest, base, isFinal }: QuarterRow): KnownQuarter {
  const none = Number.NEGATIVE_INFINITY;
  const folded =
    floor === null
      ? nothingFolded
      : { stretch: { sum: sum ?? none, floor, peakSum, peakFloor }, latest: latest ?? none };
  return { folded, base: base ?? undefined, isFinal };
}

function keysOf(quarters: readonly Quarter[]): string[] {
  return numberColumns(quarters, 'storeId', 'quarter');
}

/** Inserts or updates the rows of quarters. */
export async function writeQuarterRows(
  client: ClientBase,
  quarters: readonly FoldedQuarter[],
): Promise<void> {
  await runStatement(client, 'write-quarter-rows', writeStatement, [
    ...keysOf(quarters),
    ...stretchColumns(quarters.map(({ folded }) => folded.stretch)),
    numberArray(quarters.map(({ folded }) => folded.latest)),
    quarters.map(({ base }) => (base ? JSON.stringify(base) : null)),
  ]);
}

/** Adds to what the devices of quarters have counted. */
export async function addDeviceCounts(client: ClientBase, quarters: readonly FoldedQuarter[]): Promise<void> {
  const counts = quarters.flatMap(({ storeId, quarter, devices }) =>
    listOfCounts(devices).map(([device, entries, exits]) => ({ storeId, quarter, device, entries, exits })),
  );
  if (counts.length === 0) return;
  await runStatement(client, 'add-device-counts', addStatement, [
    ...keysOf(counts),
    ...numberColumns(counts, 'device', 'entries', 'exits'),
  ]);
}

/** Deletes what devices have counted in quarters whose crossings were read again. */
export async function removeDeviceCounts(client: ClientBase, quarters: readonly Quarter[]): Promise<void> {
  if (quarters.length > 0)
    await runStatement(client, 'remove-device-counts', removeStatement, keysOf(quarters));
}

const readStatement = `
  select wanted.store_id as "storeId", wanted.quarter, sum, floor, peak_sum as "peakSum", peak_floor as "peakFloor",
    (extract(epoch from latest_at) * 1000)::float8 as latest, base,
    coalesce(to_timestamp(wanted.quarter * 900::float8) < seal.before, false) as "isFinal"
  from unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter)
  left join store on store.id = wanted.store_id
  left join projection_seal seal on seal.company_id = store.company_id
  left join occupancy_quarter known on known.store_id = wanted.store_id and known.quarter = wanted.quarter`;

const writeStatement = `
  insert into occupancy_quarter as q (store_id, quarter, sum, floor, peak_sum, peak_floor, latest_at, base)
  select store_id, quarter, sum, floor, peak_sum, peak_floor, to_timestamp(latest / 1000), base::json
  from unnest(
    $1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::double precision[],
    $8::text[]
  ) as folded (store_id, quarter, sum, floor, peak_sum, peak_floor, latest, base)
  on conflict (store_id, quarter) do update set
    sum = excluded.sum, floor = excluded.floor, peak_sum = excluded.peak_sum, peak_floor = excluded.peak_floor,
    latest_at = excluded.latest_at, base = excluded.base
  where (q.sum, q.floor, q.peak_sum, q.peak_floor, q.latest_at, q.base::text) is distinct from (
    excluded.sum, excluded.floor, excluded.peak_sum, excluded.peak_floor, excluded.latest_at, excluded.base::text
  )`;

const removeStatement = `
  delete from device_quarter using unnest($1::integer[], $2::integer[]) as changed (store_id, quarter)
  where device_quarter.store_id = changed.store_id and device_quarter.quarter = changed.quarter`;

const addStatement = `
  insert into device_quarter as q (store_id, quarter, device_id, entries, exits)
  select * from unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[])
  on conflict (store_id, quarter, device_id) do update set
    entries = q.entries + excluded.entries, exits = q.exits + excluded.exits`;
