import { composeStretches, type Stretch } from '@visitor-counter/domain/occupancy';
import type { StoreRange } from '../crossings/crossings.ts';
import { numberColumns } from '../sql/arrays.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import { type Change, type DeviceCounts, sumOfCounts } from './change.ts';
import { quarterOf, startOfQuarter, stretchColumns } from './quarter.ts';

/**
 * The instant (epoch ms) before which the quarter hours of a store, and of its company, are final: they are not derived from
 * crossings any more, so that these can be removed. 0 if none is, or without a store.
 */
export async function finalUntil(connection: Connection, storeId: number | undefined): Promise<number> {
  if (storeId === undefined) return 0;
  const [row] = await runStatement<{ before: number }>(connection, 'final-until', finalStatement, [storeId]);
  return row?.before ?? 0;
}

const finalStatement = `
  select (extract(epoch from before) * 1000)::float8 as before
  from projection_seal join store using (company_id) where store.id = $1::integer`;

/** A part of a final quarter hour: what its crossings do to the occupancy, without corrections. */
export interface OccupancyPart {
  readonly storeId: number;
  /** When it begins (epoch ms). */
  readonly from: number;
  readonly stretch: Stretch;
  readonly devices: DeviceCounts;
}

/** The parts that begin in ranges, in the order of time for each store. */
export async function readParts(
  connection: Connection,
  ranges: readonly StoreRange[],
): Promise<OccupancyPart[]> {
  const values = numberColumns(ranges, 'storeId', 'from', 'to');
  return await runStatement<OccupancyPart>(connection, 'read-parts', readStatement, values);
}

const readStatement = `
  select part.store_id as "storeId", (extract(epoch from starts_at) * 1000)::float8 as from, devices,
    json_build_object('sum', sum, 'floor', floor, 'peakSum', peak_sum, 'peakFloor', peak_floor) as stretch
  from (
    select distinct * from unnest($1::integer[], $2::float8[], $3::float8[]) as wanted (store_id, start, stop)
  ) wanted
  join occupancy_part part on part.store_id = wanted.store_id
    and starts_at >= to_timestamp(start / 1000) and starts_at < to_timestamp(stop / 1000)
  order by part.store_id, starts_at`;

/** Inserts or replaces parts. */
export async function writeParts(connection: Connection, parts: readonly OccupancyPart[]): Promise<void> {
  if (parts.length === 0) return;
  await runStatement(connection, 'write-parts', writeStatement, [
    ...numberColumns(parts, 'storeId', 'from'),
    ...stretchColumns(parts.map(({ stretch }) => stretch)),
    parts.map(({ devices }) => JSON.stringify(devices)),
  ]);
}

const writeStatement = `
  insert into occupancy_part (store_id, starts_at, sum, floor, peak_sum, peak_floor, devices)
  select store_id, to_timestamp(start / 1000), sum, floor, peak_sum, peak_floor, devices
  from unnest(
    $1::integer[], $2::float8[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::json[]
  ) as part (store_id, start, sum, floor, peak_sum, peak_floor, devices)
  on conflict (store_id, starts_at) do update set
    sum = excluded.sum, floor = excluded.floor, peak_sum = excluded.peak_sum, peak_floor = excluded.peak_floor,
    devices = excluded.devices`;

/** Adds crossings that arrived late to the parts of their final quarters, where these have parts. */
export async function addToParts(connection: Connection, changesOfFinal: readonly Change[]): Promise<void> {
  if (changesOfFinal.length === 0) return;
  const parts = await readParts(
    connection,
    changesOfFinal.map(({ storeId, quarter }) => {
      return { storeId, from: startOfQuarter(quarter), to: startOfQuarter(quarter + 1) };
    }),
  );
  const changed = new Map<OccupancyPart, OccupancyPart>();
  for (const change of changesOfFinal) {
    if (change.stretch === undefined) continue;
    const { storeId, quarter, first, stretch, devices } = change;
    const found = parts.findLast(
      (part) => part.storeId === storeId && quarterOf(part.from) === quarter && part.from <= first,
    );
    if (found === undefined) continue;
    const part = changed.get(found) ?? found;
    changed.set(found, {
      ...part,
      stretch: composeStretches(part.stretch, stretch),
      devices: sumOfCounts(part.devices, devices),
    });
  }
  await writeParts(connection, [...changed.values()]);
}
