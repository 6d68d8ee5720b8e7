import { numberColumns } from '../sql/arrays.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import type { QuarterRange } from './read-quarters.ts';

/** Quarters of the store at a place of the list of the caller, from `first` to the one before `next`. */
export interface PlacedRange extends QuarterRange {
  readonly place: number;
}

/** What was counted in a business day: its quarters are those from `first` to the one before `next`. */
type DayRow = readonly [place: number, first: number, next: number, entries: number, exits: number];

/** What a device counted in a quarter hour. */
type QuarterRow = readonly [place: number, quarter: number, device: number, entries: number, exits: number];

/** The rows of business days (`store_day`) that begin in ranges, some thousands at a time. */
export function readDays(
  connection: Connection,
  ranges: Iterable<PlacedRange>,
): AsyncGenerator<Iterable<DayRow>> {
  return readRows(connection, 'count-days', daysStatement, ranges, 96);
}

/** The rows of the devices' quarters (`device_quarter`) in ranges, some thousands at a time. */
export function readDeviceQuarters(
  connection: Connection,
  ranges: Iterable<PlacedRange>,
): AsyncGenerator<Iterable<QuarterRow>> {
  return readRows(connection, 'count-quarters', quartersStatement, ranges, 1);
}

/** About how many rows one statement reads; other requests are answered while it reads them. */
const rowsAtOnce = 50_000;

async function* readRows(
  connection: Connection,
  name: string,
  statement: string,
  ranges: Iterable<PlacedRange>,
  quartersOfRow: number,
): AsyncGenerator<Iterable<DayRow>> {
  for (const some of batchesOf(ranges, quartersOfRow)) {
    const values = numberColumns(some, 'place', 'storeId', 'first', 'next');
    const [row] = await runStatement<{ counts: Buffer | null }>(connection, name, statement, values);
    if (row?.counts) yield rowsIn(row.counts);
  }
}

function* batchesOf(ranges: Iterable<PlacedRange>, quartersOfRow: number): Generator<PlacedRange[]> {
  let [batch, rows]: [PlacedRange[], number] = [[], 0];
  for (const range of ranges) {
    batch.push(range);
    rows += 1 + (range.next - range.first) / quartersOfRow;
    if (rows < rowsAtOnce) continue;
    yield batch;
    [batch, rows] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Each row is five integers. */
function* rowsIn(bytes: Buffer): Generator<DayRow> {
  for (let at = 0; at < bytes.length; at += 20) {
    const [first, second] = [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)];
    yield [first, second, bytes.readInt32BE(at + 8), bytes.readInt32BE(at + 12), bytes.readInt32BE(at + 16)];
  }
}

const wantedRanges =
  'unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[]) as wanted (place, id, first, next)';

/* One value: see read-quarters.ts. */
const daysStatement = `
  select string_agg(
    int8send(place::bigint << 32 | first_quarter) || int8send(next_quarter::bigint << 32 | entries) || int4send(exits), ''
  ) as counts
  from ${wantedRanges}
  cross join lateral (
    select first_quarter, next_quarter, entries, exits from store_day
    where store_id = id and first_quarter >= first and first_quarter < next
    offset 0
  ) found`;

const quartersStatement = `
  select string_agg(
    int8send(place::bigint << 32 | quarter) || int8send(device_id::bigint << 32 | entries) || int4send(exits), ''
  ) as counts
  from ${wantedRanges}
  cross join lateral (
    select quarter, device_id, entries, exits from device_quarter
    where store_id = id and quarter >= first and quarter < next
    offset 0
  ) found`;

/** A piece of one quarter hour of a store, [`from`, `to`) in epoch ms, and the bucket in which it is counted. */
export interface Piece {
  readonly storeId: number;
  /** The place of the store in the list of the caller. */
  readonly place: number;
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

/** What a device counted in a piece. */
interface CountedPiece extends Pick<Piece, 'place' | 'bucket'> {
  readonly device: number;
  readonly entries: number;
  readonly exits: number;
  /** The crossings of the piece may have been removed, and the projection does not have it. */
  readonly isRough: boolean;
}

/** How many pieces one statement counts: every statement has a deadline. */
const piecesAtOnce = 10_000;

/**
 * Entries and exits in pieces of quarter hours, some thousands at a time. Those before `final` (epoch ms) are final: their
 * crossings may have been removed, so their parts are read instead; a quarter hour without parts counts where it begins.
 */
export async function* countPieces(
  connection: Connection,
  pieces: readonly Piece[],
  final: number,
): AsyncGenerator<readonly CountedPiece[]> {
  const { kept = [], removed = [] } = Object.groupBy(pieces, ({ from }) =>
    from >= final ? 'kept' : 'removed',
  );
  for (const [name, statement, some] of [
    ['count-pieces', keptStatement, kept],
    ['count-final-pieces', finalStatement, removed],
  ] as const) {
    for (let start = 0; start < some.length; start += piecesAtOnce) {
      const few = some.slice(start, start + piecesAtOnce);
      const values = numberColumns(few, 'place', 'bucket', 'storeId', 'from', 'to');
      yield await runStatement<CountedPiece>(connection, name, statement, values);
    }
  }
}

const wantedPieces = `unnest($1::integer[], $2::integer[], $3::integer[], $4::float8[], $5::float8[])
    as piece (place, bucket, store_id, start, stop)
  cross join lateral (select floor(start / 900000)::integer as quarter) containing`;

/* The projection has it if it begins with its quarter hour, in which nothing happened later. */
const keptStatement = `
  select place, bucket, device_id as device, sum(entries)::integer as entries, sum(exits)::integer as exits,
    false as "isRough"
  from ${wantedPieces}
  cross join lateral (
    select start = quarter * 900000::float8 and not exists (
      select from occupancy_quarter q
      where q.store_id = piece.store_id and q.quarter = containing.quarter and q.latest_at >= to_timestamp(stop / 1000)
    ) as is_whole
  ) projected
  cross join lateral (
    select device_id, entries, exits from device_quarter q
    where is_whole and q.store_id = piece.store_id and q.quarter = containing.quarter
    union all
    select device_id, (direction = 1)::integer, (direction = -1)::integer from crossing
    where not is_whole and crossing.store_id = piece.store_id
      and at >= to_timestamp(start / 1000) and at < to_timestamp(stop / 1000)
  ) found
  group by place, bucket, device_id`;

const finalStatement = `
  select place, bucket, device_id as device, sum(entries)::integer as entries, sum(exits)::integer as exits,
    not bool_and(has_parts) as "isRough"
  from ${wantedPieces}
  cross join lateral (
    select exists (
      select from occupancy_part part where part.store_id = piece.store_id
        and starts_at >= to_timestamp(quarter * 900::float8) and starts_at < to_timestamp((quarter + 1) * 900::float8)
    ) as has_parts
  ) known
  cross join lateral (
    select device.key::integer as device_id, (value->>0)::integer as entries, (value->>1)::integer as exits
    from occupancy_part part cross join lateral json_each(devices) device
    where has_parts and part.store_id = piece.store_id
      and starts_at >= to_timestamp(start / 1000) and starts_at < to_timestamp(stop / 1000)
    union all
    select device_id, case when begins then entries else 0 end, case when begins then exits else 0 end
    from device_quarter q cross join lateral (select start = containing.quarter * 900000::float8 as begins) part
    where not has_parts and q.store_id = piece.store_id and q.quarter = containing.quarter
  ) found
  group by place, bucket, device_id`;
