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

/** How many crossings one statement reads: of each range at first, of a range that has more, and in all. */
const [firstRows, nextRows, mostRows] = [1_000, 4_000, 100_000];

/**
 * Reads the crossings and corrections of quarter hours, or of parts of them, and folds them; with `corrects: false` without
 * corrections. A quarter of a real store has some hundred crossings; memory does not depend on how many hostile units send.
 */
export async function foldStored(
  connection: Connection,
  ranges: readonly StoreRange[],
  { corrects = true } = {},
): Promise<FoldedRange[]> {
  const corrections = corrects ? await correctionsInForce(connection, ranges) : [];
  const folds = ranges.map((range, index): Fold => {
    const folded = { ...nothingFolded, devices: {} };
    return { ...range, device: 0, limit: firstRows, corrections: corrections[index] ?? [], folded };
  });
  const pending = [...folds];
  while (pending.length > 0) {
    const some = pending.splice(0, howMany(pending));
    const pages = await readPages(connection, some);
    for (const [index, one] of some.entries())
      if (await addPage(connection, one, crossingsIn(pages[index] ?? null))) pending.push(one);
  }
  return folds.map(({ folded }) => folded);
}

/** A range that is partly folded: everything before the instant `from`, and at `from` the devices with ids below `device`. */
interface Fold extends StoreRange {
  from: number;
  device: number;
  /** How many crossings the next page has at most. */
  limit: number;
  /** The corrections that are not folded yet. */
  corrections: readonly Correction[];
  folded: FoldedRange & { readonly devices: Record<number, [entries: number, exits: number]> };
}

/** How many of the ranges have pages that one statement may read together: at least one. */
function howMany(folds: readonly Fold[]): number {
  let rows = 0;
  for (const [index, { limit }] of folds.entries()) {
    rows += limit;
    if (rows > mostRows) return Math.max(1, index);
  }
  return folds.length;
}

/** Folds a page of a range. Returns whether there may be more. */
async function addPage(connection: Connection, fold: Fold, page: readonly ReadCrossing[]): Promise<boolean> {
  const last = page.length === fold.limit ? page.at(-1) : undefined;
  /* The crossings of the last device at the last instant may be incomplete, and can be ordered only together. */
  const isComplete = ({ at, device_id }: ReadCrossing) => at !== last?.at || device_id !== last.device_id;
  const complete = last ? page.slice(0, page.findLastIndex(isComplete) + 1) : page;
  const crossings = await orderOfEffect(complete, (ids) => readJournals(connection, ids));
  const acts = crossings.map(({ at, direction }) => ({ at, stretch: crossingStretch(direction) }));
  const isDue = ({ at }: Correction) => last === undefined || at < last.at;
  const { devices } = fold.folded;
  for (const { device_id, direction } of crossings) addCrossing(devices, device_id, direction);
  const corrections = fold.corrections.filter(isDue);
  fold.folded = { ...foldActs(fold.folded, withCorrections(acts, corrections)), devices };
  if (last === undefined) return false;
  fold.corrections = fold.corrections.filter((one) => !isDue(one));
  fold.limit = complete.length === 0 ? fold.limit * 4 : nextRows;
  fold.from = last.at;
  fold.device = last.device_id;
  return true;
}

/** The next crossings of each range, as bytes. */
async function readPages(connection: Connection, folds: readonly Fold[]): Promise<(Buffer | null)[]> {
  const values = numberColumns(folds, 'storeId', 'from', 'device', 'to', 'limit');
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
  from unnest($1::integer[], $2::double precision[], $3::integer[], $4::double precision[], $5::integer[])
    with ordinality as range (store_id, start, device_id, stop, count, place)
  cross join lateral (
    select string_agg(
      timestamptz_send(at) || int4send(direction * journal_id) || int4send(device_id), ''
    ) as crossings
    from (
      select at, device_id, journal_id, direction from crossing
      where store_id = range.store_id and (at, device_id) >= (to_timestamp(range.start / 1000), range.device_id)
        and at < to_timestamp(range.stop / 1000)
      order by at, device_id, journal_id, sequence limit range.count
    ) found
  ) page
  order by range.place`;
