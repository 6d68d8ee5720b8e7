import { composeStretches, type Stretch } from '@visitor-counter/domain/occupancy';
import { numberColumns } from '../sql/arrays.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import type { Change } from './change.ts';
import {
  type CountList,
  countsOfList,
  type DeviceCounts,
  listOfCounts,
  sumOfCounts,
} from './device-counts.ts';
import { type Quarter, quarterOf, startOfQuarter, stretchColumns } from './quarter.ts';

/** A part of a final quarter hour: what its crossings do to the occupancy, without corrections. */
export interface OccupancyPart {
  readonly storeId: number;
  /** When it begins (epoch ms). */
  readonly from: number;
  readonly stretch: Stretch;
  readonly devices: DeviceCounts;
}

interface PartRow {
  readonly store_id: number;
  readonly from: number;
  readonly sum: number;
  readonly floor: number;
  readonly peak_sum: number;
  readonly peak_floor: number;
  readonly devices: CountList;
}

/** The parts of a store's quarters from `first` to `last`, in order. */
export async function readParts(
  connection: Connection,
  { storeId, first, last }: { readonly storeId: number; readonly first: number; readonly last: number },
): Promise<OccupancyPart[]> {
  const values = [storeId, startOfQuarter(first), startOfQuarter(last + 1)];
  const rows = await runStatement<PartRow>(connection, 'read-parts', rangeStatement, values);
  return rows.map(partOf);
}

/** The parts of quarters, those of a quarter in order. */
async function readPartsOfQuarters(
  connection: Connection,
  quarters: readonly Quarter[],
): Promise<OccupancyPart[]> {
  const values = numberColumns(quarters, 'storeId', 'quarter');
  const rows = await runStatement<PartRow>(connection, 'read-parts-of-quarters', quartersStatement, values);
  return rows.map(partOf);
}

function partOf({ store_id, from, sum, floor, peak_sum, peak_floor, devices }: PartRow): OccupancyPart {
  return {
    storeId: store_id,
    from,
    stretch: { sum, floor, peakSum: peak_sum, peakFloor: peak_floor },
    devices: countsOfList(devices),
  };
}

const columns = `part.store_id, (extract(epoch from part.starts_at) * 1000)::float8 as from, part.sum, part.floor,
    part.peak_sum, part.peak_floor, part.devices`;

const rangeStatement = `
  select ${columns} from occupancy_part part
  where part.store_id = $1::integer
    and part.starts_at >= to_timestamp($2::float8 / 1000) and part.starts_at < to_timestamp($3::float8 / 1000)
  order by part.starts_at`;

const quartersStatement = `
  select ${columns}
  from (select distinct * from unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter)) wanted
  join occupancy_part part on part.store_id = wanted.store_id
    and part.starts_at >= to_timestamp(wanted.quarter * 900::float8)
    and part.starts_at < to_timestamp((wanted.quarter + 1) * 900::float8)
  order by part.store_id, part.starts_at`;

/** Inserts or replaces parts. */
export async function writeParts(connection: Connection, parts: readonly OccupancyPart[]): Promise<void> {
  if (parts.length === 0) return;
  await runStatement(connection, 'write-parts', writeStatement, [
    ...numberColumns(parts, 'storeId', 'from'),
    ...stretchColumns(parts.map(({ stretch }) => stretch)),
    parts.map(({ devices }) => JSON.stringify(listOfCounts(devices))),
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
  const parts = await readPartsOfQuarters(connection, changesOfFinal);
  const changed = new Map<OccupancyPart, OccupancyPart>();
  for (const change of changesOfFinal) {
    if (change.stretch === undefined) continue;
    const { storeId, quarter, first, stretch, devices } = change;
    const ofQuarter = parts.filter((part) => part.storeId === storeId && quarterOf(part.from) === quarter);
    const found = ofQuarter.findLast(({ from }) => from <= first) ?? ofQuarter[0];
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
