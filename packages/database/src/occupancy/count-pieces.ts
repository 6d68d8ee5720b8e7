import { numberColumns } from '../sql/arrays.ts';
import { type Connection, runStatement } from '../sql/run-statement.ts';

/** A piece of one quarter hour of a store, [`from`, `to`) in epoch ms, and the bucket in which it is counted. */
export interface Piece {
  readonly storeId: number;
  /** The place of the store in the list of the caller. */
  readonly place: number;
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

interface CountedPiece extends Pick<Piece, 'place' | 'bucket'> {
  readonly entries: number;
  readonly exits: number;
  /** Its crossings may have been removed, and the projection does not have this piece. */
  readonly isRough: boolean;
}

/**
 * Entries and exits in pieces of quarter hours. Those before `final` (epoch ms) are final: their crossings may have been
 * removed, so their parts are read instead; a quarter hour without parts counts where it begins.
 */
export async function countPieces(
  connection: Connection,
  pieces: readonly Piece[],
  final: number,
): Promise<CountedPiece[]> {
  const kept = pieces.filter(({ from }) => from >= final);
  const removed = pieces.filter(({ from }) => from < final);
  return [
    ...(await read(connection, 'count-pieces', keptStatement, kept)),
    ...(await read(connection, 'count-final-pieces', finalStatement, removed)),
  ];
}

async function read(
  connection: Connection,
  name: string,
  statement: string,
  pieces: readonly Piece[],
): Promise<CountedPiece[]> {
  if (pieces.length === 0) return [];
  const values = numberColumns(pieces, 'place', 'bucket', 'storeId', 'from', 'to');
  return await runStatement<CountedPiece>(connection, name, statement, values);
}

const wanted = `unnest($1::integer[], $2::integer[], $3::integer[], $4::float8[], $5::float8[])
    as piece (place, bucket, store_id, start, stop)
  cross join lateral (select floor(start / 900000)::integer as quarter) containing`;

/* The projection has it if it begins with its quarter hour, in which nothing happened later. */
const keptStatement = `
  select place, bucket, counted.entries, counted.exits, false as "isRough"
  from ${wanted}
  cross join lateral (
    select start = quarter * 900000::float8 and not exists (
      select from occupancy_quarter q
      where q.store_id = piece.store_id and q.quarter = containing.quarter and q.latest_at >= to_timestamp(stop / 1000)
    ) as is_whole
  ) projected
  cross join lateral (
    select coalesce(sum(entries), 0)::integer as entries, coalesce(sum(exits), 0)::integer as exits
    from (
      select entries, exits from device_quarter q
      where is_whole and q.store_id = piece.store_id and q.quarter = containing.quarter
      union all
      select (direction = 1)::integer, (direction = -1)::integer from crossing
      where not is_whole and crossing.store_id = piece.store_id
        and at >= to_timestamp(start / 1000) and at < to_timestamp(stop / 1000)
    ) found
  ) counted`;

const finalStatement = `
  select place, bucket, counted.entries, counted.exits, counted.entries + counted.exits > 0 and not has_parts as "isRough"
  from ${wanted}
  cross join lateral (
    select exists (
      select from occupancy_part part where part.store_id = piece.store_id
        and starts_at >= to_timestamp(quarter * 900::float8) and starts_at < to_timestamp((quarter + 1) * 900::float8)
    ) as has_parts
  ) known
  cross join lateral (
    select coalesce(sum(entries), 0)::integer as entries, coalesce(sum(exits), 0)::integer as exits
    from (
      select (device->>1)::integer as entries, (device->>2)::integer as exits
      from occupancy_part part cross join lateral json_array_elements(devices) device
      where has_parts and part.store_id = piece.store_id
        and starts_at >= to_timestamp(start / 1000) and starts_at < to_timestamp(stop / 1000)
      union all
      select entries, exits from device_quarter q
      where not has_parts and start = containing.quarter * 900000::float8
        and q.store_id = piece.store_id and q.quarter = containing.quarter
    ) found
  ) counted`;
