import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader } from '../sql/snapshot.ts';

/** Entries and exits that one device counted in one bucket. */
export interface DeviceCount {
  readonly serial: string;
  /** The index of the bucket. */
  readonly bucket: number;
  readonly in: number;
  readonly out: number;
}

/** Buckets that follow one another without gaps. Instants are epoch ms. */
export interface CountedBuckets {
  readonly storeId: number;
  /** When each bucket begins, ascending. */
  readonly starts: readonly number[];
  /** When the last bucket ends. */
  readonly to: number;
}

/** The longest piece of a range that one statement reads (ms): every statement has a deadline. */
const longestPiece = 7 * 86_400_000;

/**
 * What each device of a store counted in each bucket; pairs without a crossing are left out. The database computes
 * the sums, so that memory depends on devices and buckets, not on crossings and journals.
 */
export async function* countByDevice(db: Reader, buckets: CountedBuckets): AsyncGenerator<DeviceCount, void> {
  const { storeId, starts, to } = buckets;
  for (let first = 0; first < starts.length; ) {
    const next = endOfPiece(starts, first);
    const end = Math.min(starts[next] ?? to, to);
    const piece = { storeId, starts: starts.slice(first, next), to: end };
    for (const { bucket, ...count } of await countPiece(db, piece))
      yield { bucket: first + bucket, ...count };
    first = next;
  }
}

/** The index of the first bucket that begins after the piece; a piece has at least one bucket. */
function endOfPiece(starts: readonly number[], first: number): number {
  const from = starts[first] ?? 0;
  let next = first + 1;
  while (next < starts.length && (starts[next] ?? 0) < from + longestPiece) next += 1;
  return next;
}

async function countPiece(db: Reader, { storeId, starts, to }: CountedBuckets): Promise<DeviceCount[]> {
  const from = starts[0] ?? to;
  if (to <= from) return [];
  const instants = `{${starts.map(timestamp).join(',')}}`;
  const { rows } = await sql<DeviceCount>`
    select device.serial, counted.bucket, counted.entries as "in", counted.exits as "out"
    from (
      select device_id, width_bucket(at, ${instants}::timestamptz[]) - 1 as bucket,
        (count(*) filter (where direction = 1))::integer as entries,
        (count(*) filter (where direction = -1))::integer as exits
      from crossing
      where store_id = ${storeId}::integer
        and at >= ${timestamp(from)}::timestamptz and at < ${timestamp(to)}::timestamptz
      group by 1, 2
    ) counted
    join device on device.id = counted.device_id`.execute(db);
  return rows;
}
