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
import { correctionsInForce } from './corrections.ts';
import { addCrossing, type DeviceCounts, type InOut } from './device-counts.ts';

/** The fold of a range, and what each device has counted in it. */
export interface FoldedRange extends Folded {
  readonly devices: DeviceCounts;
}

/** How many ranges, and how many rows of each, are in memory at the same time. */
const rangesAtOnce = 200;
const rowsAtOnce = 250;

/** Reads the crossings and corrections of each range and folds them; in constant memory, however many there are. */
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
  const folds = ranges.map((range, index) => ({
    ...range,
    corrections: corrections[index] ?? [],
    state: nothingFolded,
    devices: new Map<number, InOut>(),
    limit: rowsAtOnce,
  }));
  let pending = folds;
  while (pending.length > 0) {
    const some = pending.slice(0, rangesAtOnce);
    const unfinished = await foldSome(connection, some);
    pending = [...unfinished, ...pending.slice(rangesAtOnce)];
  }
  return folds.map(({ state, devices }) => ({ ...state, devices }));
}

interface Fold {
  readonly storeId: number;
  readonly to: number;
  readonly corrections: readonly Correction[];
  from: number;
  readonly devices: Map<number, InOut>;
  state: Folded;
  limit: number;
}

/** Reads the next rows of these ranges and returns the ranges that have more. */
async function foldSome<F extends Fold>(connection: Connection, folds: readonly F[]): Promise<F[]> {
  const pages = await read(connection, folds);
  const unfinished: F[] = [];
  for (const [index, fold] of folds.entries()) {
    const found = crossingsIn(pages[index] ?? null);
    const more = found.length === fold.limit;
    /* The crossings of the last instant may be incomplete, and can be ordered only together. */
    const until = more ? (found.at(-1)?.at ?? fold.to) : fold.to;
    const complete = more ? found.filter(({ at }) => at < until) : found;
    const ordered = await orderOfEffect(complete, (ids) => readJournals(connection, ids));
    const crossings = ordered.map(({ at, direction }) => ({ at, stretch: crossingStretch(direction) }));
    for (const { device_id, direction } of complete) addCrossing(fold.devices, device_id, direction);
    const corrections = fold.corrections.filter(({ at }) => at >= fold.from && at < until);
    fold.state = foldActs(fold.state, withCorrections(crossings, corrections));
    fold.from = until;
    if (complete.length === 0) fold.limit *= 4;
    if (more) unfinished.push(fold);
  }
  return unfinished;
}

/** The next crossings of each range, as bytes. */
async function read(connection: Connection, folds: readonly Fold[]): Promise<(Buffer | null)[]> {
  const values = numberColumns(folds, 'storeId', 'from', 'to', 'limit');
  const rows = await runStatement<{ crossings: Buffer | null }>(
    connection,
    'read-ranges',
    rangesStatement,
    values,
  );
  return rows.map(({ crossings }) => crossings);
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
  from unnest($1::integer[], $2::double precision[], $3::double precision[], $4::integer[])
    with ordinality as range (store_id, start, stop, count, place)
  cross join lateral (
    select string_agg(
      timestamptz_send(at) || int4send(direction * journal_id) || int4send(device_id), ''
    ) as crossings
    from (
      select at, device_id, journal_id, sequence, direction from crossing
      where store_id = range.store_id and at >= to_timestamp(range.start / 1000) and at < to_timestamp(range.stop / 1000)
      order by at, device_id, journal_id, sequence limit range.count
    ) found
  ) page
  order by range.place`;
