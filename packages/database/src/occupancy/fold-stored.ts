import type { Direction } from '@visitor-counter/domain/crossing';
import {
  type Correction,
  crossingStretch,
  type Folded,
  foldActs,
  nothingFolded,
  withCorrections,
} from '@visitor-counter/domain/occupancy';
import type { StoreRange } from '../crossings/crossings.ts';
import { numberColumns } from '../sql/arrays.ts';
import { instantIn } from '../sql/instant.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import { correctionsInForce } from './corrections.ts';
import { addCrossing, type DeviceCounts, type InOut } from './device-counts.ts';

/** The fold of a range, and what each device has counted in it. */
export interface FoldedRange extends Folded {
  readonly devices: DeviceCounts;
}

/** How many ranges are in memory at the same time: quarter hours, and so some hundred crossings each. */
const rangesAtOnce = 100;

/** Reads the crossings and corrections of quarter hours, or parts of them, and folds them. */
export async function foldStored(
  connection: Connection,
  ranges: readonly StoreRange[],
): Promise<FoldedRange[]> {
  return await fold(connection, ranges, await correctionsInForce(connection, ranges));
}

/** The same without the corrections. */
export async function foldCrossings(
  connection: Connection,
  ranges: readonly StoreRange[],
): Promise<FoldedRange[]> {
  return await fold(connection, ranges, []);
}

async function fold(
  connection: Connection,
  ranges: readonly StoreRange[],
  corrections: readonly (readonly Correction[])[],
): Promise<FoldedRange[]> {
  const folded: FoldedRange[] = [];
  for (let start = 0; start < ranges.length; start += rangesAtOnce) {
    const values = numberColumns(ranges.slice(start, start + rangesAtOnce), 'storeId', 'from', 'to');
    const rows = await runStatement<{ crossings: Buffer | null }>(
      connection,
      'read-ranges',
      rangesStatement,
      values,
    );
    for (const { crossings } of rows) folded.push(foldRange(crossings, corrections[folded.length] ?? []));
  }
  return folded;
}

/** Bytes of a crossing: the instant, the direction, the id of the device. */
const [directionAt, deviceAt, crossingLength] = [8, 10, 14];

function foldRange(bytes: Buffer | null, corrections: readonly Correction[]): FoldedRange {
  const view = bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const crossings = [];
  const devices = new Map<number, InOut>();
  for (let offset = 0; view && offset < view.byteLength; offset += crossingLength) {
    const direction: Direction = view.getInt16(offset + directionAt) === 1 ? 1 : -1;
    crossings.push({ at: instantIn(view, offset), stretch: crossingStretch(direction) });
    addCrossing(devices, view.getInt32(offset + deviceAt), direction);
  }
  return { ...foldActs(nothingFolded, withCorrections(crossings, corrections)), devices };
}

/* One value for each range: rows of five columns cost several times as much as finding them. */
const rangesStatement = `
  select page.crossings
  from unnest($1::integer[], $2::double precision[], $3::double precision[])
    with ordinality as range (store_id, start, stop, place)
  cross join lateral (
    select string_agg(timestamptz_send(at) || int2send(direction) || int4send(device_id), '') as crossings
    from (
      select at, device_id, direction from crossing
      where store_id = range.store_id and at >= to_timestamp(range.start / 1000) and at < to_timestamp(range.stop / 1000)
      order by at, device_id, journal_id, sequence
    ) found
  ) page
  order by range.place`;
