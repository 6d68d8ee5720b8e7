import {
  type Correction,
  crossingStretch,
  type Folded,
  foldActs,
  nothingFolded,
  withCorrections,
} from '@visitor-counter/domain/occupancy';
import { orderOfEffect, type ReadCrossing, readJournals } from '../crossings/crossing-order.ts';
import type { StoreRange } from '../crossings/crossings.ts';
import { numberColumns } from '../sql/arrays.ts';
import { instantIn } from '../sql/instant.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import { addCrossing, type DeviceCounts } from './change.ts';
import { correctionsInForce } from './corrections.ts';

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
    for (const { crossings: bytes } of rows) {
      const crossings = await orderOfEffect(crossingsIn(bytes), (ids) => readJournals(connection, ids));
      folded.push(foldRange(crossings, corrections[folded.length] ?? []));
    }
  }
  return folded;
}

function foldRange(crossings: readonly ReadCrossing[], corrections: readonly Correction[]): FoldedRange {
  const acts = crossings.map(({ at, direction }) => ({ at, stretch: crossingStretch(direction) }));
  const devices = {};
  for (const { device_id, direction } of crossings) addCrossing(devices, device_id, direction);
  return { ...foldActs(nothingFolded, withCorrections(acts, corrections)), devices };
}

/** Bytes of a crossing: the instant, the id of the journal (negative for an exit), the id of the device. */
const [journalAt, deviceAt, crossingLength] = [8, 12, 16];

/** Decodes crossings, in the order of the index. Those of a journal are in the order of their sequences. */
function crossingsIn(bytes: Buffer | null): ReadCrossing[] {
  if (bytes === null) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / crossingLength }, (_, index) => {
    const offset = index * crossingLength;
    const signedJournal = view.getInt32(offset + journalAt);
    return {
      at: instantIn(view, offset),
      device_id: view.getInt32(offset + deviceAt),
      journal_id: Math.abs(signedJournal),
      direction: signedJournal > 0 ? 1 : -1,
    };
  });
}

/* One value for each range: rows of five columns cost several times as much as finding them. */
const rangesStatement = `
  select page.crossings
  from unnest($1::integer[], $2::double precision[], $3::double precision[])
    with ordinality as range (store_id, start, stop, place)
  cross join lateral (
    select string_agg(
      timestamptz_send(at) || int4send(direction * journal_id) || int4send(device_id), ''
    ) as crossings
    from (
      select at, device_id, journal_id, direction from crossing
      where store_id = range.store_id and at >= to_timestamp(range.start / 1000) and at < to_timestamp(range.stop / 1000)
      order by at, device_id, journal_id, sequence
    ) found
  ) page
  order by range.place`;
