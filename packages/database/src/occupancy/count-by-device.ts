import { type Kysely, sql } from 'kysely';
import { finalUntil } from '../retention/removed-before.ts';
import { numberArray } from '../sql/arrays.ts';
import { timestamp } from '../sql/instant.ts';
import { quarterAfter, quarterOf, startOfQuarter } from './quarter.ts';

/** Entries and exits that one device counted in one bucket. */
interface DeviceCount {
  /** The index of the store. */
  readonly place: number;
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

/** The longest piece of a range in which one statement reads crossings (ms): every statement has a deadline. */
const longestPiece = 7 * 86_400_000;

/** Stores that one statement counts. */
const storesAtOnce = 50;

/**
 * What each device of stores of one company counted in each bucket; pairs without a crossing are left out. Reads the
 * projection, and crossings only of an incomplete quarter hour at the end, or if a bucket begins within a quarter hour; of
 * final quarter hours, whose crossings may have been removed, their parts instead. The database computes the sums, so that
 * memory depends on devices and buckets, not on crossings and journals.
 */
export async function* countByDevice(
  db: Kysely<unknown>,
  wanted: readonly CountedBuckets[],
): AsyncGenerator<DeviceCount, void> {
  const placed = wanted
    .map((buckets, place) => ({ ...buckets, place }))
    .filter(({ starts, to }) => (starts[0] ?? to) < to);
  const aligned = placed.filter(isAligned);
  for (let first = 0; first < aligned.length; first += storesAtOnce)
    yield* await countQuarters(db, aligned.slice(first, first + storesAtOnce));
  for (const buckets of placed) if (!isAligned(buckets)) yield* countCrossings(db, buckets);
}

interface PlacedBuckets extends CountedBuckets {
  readonly place: number;
}

/** Whether all buckets begin with quarter hours. */
function isAligned({ starts }: CountedBuckets): boolean {
  return starts.every((start) => start === startOfQuarter(quarterOf(start)));
}

async function* countCrossings(
  db: Kysely<unknown>,
  { place, storeId, starts, to }: PlacedBuckets,
): AsyncGenerator<DeviceCount, void> {
  const final = (await finalUntil(db, storeId)) ?? 0;
  for (let first = 0; first < starts.length; ) {
    const next = endOfPiece(starts, first);
    const end = Math.min(starts[next] ?? to, to);
    const piece = { storeId, starts: starts.slice(first, next), to: end };
    for (const { bucket, ...count } of await countPiece(db, piece, final))
      yield { ...count, place, bucket: first + bucket };
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

/** Quarter hours before `final` (epoch ms) are final. */
async function countPiece(
  db: Kysely<unknown>,
  { storeId, starts, to }: CountedBuckets,
  final: number,
): Promise<Omit<DeviceCount, 'place'>[]> {
  const from = starts[0] ?? to;
  if (to <= from) return [];
  const begin = Math.max(from, Math.min(to, final));
  const { rows } = await sql<Omit<DeviceCount, 'place'>>`
    select device.serial, counted.bucket, counted.entries as "in", counted.exits as "out"
    from (
      select device_id, width_bucket(at, ${`{${starts.map(timestamp).join(',')}}`}::timestamptz[]) - 1 as bucket,
        sum(entries)::integer as entries, sum(exits)::integer as exits
      from (
        select at, device_id, (direction = 1)::integer as entries, (direction = -1)::integer as exits from crossing
        where store_id = ${storeId}::integer
          and at >= ${timestamp(begin)}::timestamptz and at < ${timestamp(to)}::timestamptz
        ${begin > from ? sql`union all select * from (${finalCounts(storeId, from, begin)}) final` : sql``}
      ) counted
      group by 1, 2
    ) counted
    join device on device.id = counted.device_id`.execute(db);
  return rows;
}

/** Entries and exits in final quarter hours: of their parts, where they have some, otherwise as a whole. */
const finalCounts = (storeId: number, from: number, to: number) => sql`
  select starts_at as at, (device->>0)::integer as device_id, (device->>1)::integer as entries,
    (device->>2)::integer as exits
  from occupancy_part cross join lateral json_array_elements(devices) device
  where store_id = ${storeId}::integer and starts_at >= ${timestamp(from)}::timestamptz
    and starts_at < ${timestamp(to)}::timestamptz
  union all
  select to_timestamp(quarter * 900::float8), device_id, entries, exits from device_quarter
  where store_id = ${storeId}::integer and quarter >= ${quarterAfter(from)}::integer
    and quarter < ${quarterAfter(to)}::integer
    and not exists (
      select from occupancy_part part where part.store_id = device_quarter.store_id
        and part.starts_at >= to_timestamp(quarter * 900::float8)
        and part.starts_at < to_timestamp((quarter + 1) * 900::float8)
    )`;

/** Buckets that begin with quarter hours; `to` may be within one. */
async function countQuarters(db: Kysely<unknown>, wanted: readonly PlacedBuckets[]): Promise<DeviceCount[]> {
  const column = (value: (buckets: PlacedBuckets) => number) => numberArray(wanted.map(value));
  const { rows } = await sql<DeviceCount>`
    select wanted.place, counted.bucket, counted.entries::integer as "in", counted.exits::integer as "out",
      (select serial from device where id = counted.device_id) as serial
    from (
      select place, store_id, starts::integer[], first, last, to_timestamp(until / 1000) as until
      from unnest(
        ${column(({ place }) => place)}::integer[], ${column(({ storeId }) => storeId)}::integer[],
        ${wanted.map(({ starts }) => numberArray(starts.map(quarterOf)))}::text[],
        ${column(({ starts }) => quarterOf(starts[0] ?? 0))}::integer[],
        ${column(({ to }) => quarterOf(to))}::integer[], ${column(({ to }) => to)}::float8[]
      ) as wanted (place, store_id, starts, first, last, until)
      offset 0
    ) wanted
    cross join lateral (
      select device_id, width_bucket(quarter, wanted.starts) - 1 as bucket, sum(entries) as entries, sum(exits) as exits
      from (
        select device_id, quarter, entries, exits from device_quarter
        where store_id = wanted.store_id and quarter >= wanted.first and quarter < wanted.last
        union all
        select device_id, wanted.last, count(*) filter (where direction = 1), count(*) filter (where direction = -1)
        from crossing
        where store_id = wanted.store_id and at >= to_timestamp(wanted.last * 900::float8) and at < wanted.until
        group by device_id
      ) quarters
      group by 1, 2
      offset 0
    ) counted`.execute(db);
  return rows;
}
