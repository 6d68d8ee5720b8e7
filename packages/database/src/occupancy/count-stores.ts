import type { Kysely } from 'kysely';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import { quarterAfter, quarterLength } from './quarter.ts';

/** Buckets that follow one another without gaps. Instants are epoch ms. */
interface CountedBuckets {
  readonly storeId: number;
  /** When each bucket begins, ascending, each with a quarter hour. */
  readonly starts: readonly number[];
  /** When the last bucket ends, not before it begins. */
  readonly to: number;
  /** If every bucket is a business day, the first of them (YYYY-MM-DD); the last one may end early. */
  readonly firstDay?: string | undefined;
}

/** Entries and exits in each of the buckets of a store. */
export interface EntriesAndExits {
  readonly entries: number[];
  readonly exits: number[];
}

/**
 * Entries and exits of stores, each in its buckets, in their order. Reads the projection: business days, otherwise quarter
 * hours. Crossings are read only of a quarter hour in which the last bucket ends before its last crossing.
 */
export async function countStores(
  db: Kysely<DB>,
  wanted: readonly CountedBuckets[],
): Promise<EntriesAndExits[]> {
  const counts = wanted.map(zeros);
  const placed = wanted.map((one, place) => ({ ...one, place, bucket: 0 }));
  const ofDays = placed.filter(({ firstDay }) => firstDay !== undefined);
  const ofQuarters = placed.filter(({ firstDay }) => firstDay === undefined);
  for await (const { place, days } of readDays(db, ofDays)) {
    for (const [bucket, entries, exits, isCut] of days) {
      const own = placed[place];
      if (!isCut) add(counts[place], bucket, entries, exits);
      else if (own) ofQuarters.push({ ...own, bucket, starts: [own.starts[bucket] ?? own.to] });
    }
  }
  for await (const { index, counted } of readQuarters(db, 'count-quarters', ofQuarters)) {
    const { place = 0, bucket: first = 0 } = ofQuarters[index] ?? {};
    for (const [, bucket, entries, exits] of counted) add(counts[place], first + bucket, entries, exits);
  }
  return counts;
}

/** The same for each device, by its serial number; devices that counted nothing are left out. */
export async function countByDevice(
  db: Kysely<DB>,
  wanted: readonly CountedBuckets[],
): Promise<ReadonlyMap<string, EntriesAndExits>[]> {
  const counts = wanted.map(() => new Map<number, EntriesAndExits>());
  for await (const { index, counted } of readQuarters(db, 'count-devices-quarters', wanted)) {
    for (const [device, bucket, entries, exits] of counted) {
      const known = counts[index]?.get(device) ?? zeros(wanted[index] ?? { starts: [] });
      counts[index]?.set(device, known);
      add(known, bucket, entries, exits);
    }
  }
  const ids = new Set(counts.flatMap((devices) => [...devices.keys()]));
  const serials = await runStatement<{ id: number; serial: string }>(db, serialsStatement, [
    numberArray([...ids]),
  ]);
  return counts.map(
    (devices) =>
      new Map(
        serials.flatMap(({ id, serial }) => {
          const own = devices.get(id);
          return own ? [[serial, own] as const] : [];
        }),
      ),
  );
}

const serialsStatement = `
  select id, serial from device where id = any($1::integer[]) order by serial collate "C"`;

function zeros({ starts }: Pick<CountedBuckets, 'starts'>): EntriesAndExits {
  return { entries: starts.map(() => 0), exits: starts.map(() => 0) };
}

function add(counts: EntriesAndExits | undefined, bucket: number, entries: number, exits: number): void {
  if (counts === undefined) return;
  counts.entries[bucket] = (counts.entries[bucket] ?? 0) + entries;
  counts.exits[bucket] = (counts.exits[bucket] ?? 0) + exits;
}

/** About how many rows one statement reads; other requests are answered between two statements. */
const rowsAtOnce = 100_000;

function* batchesOf<Range extends CountedBuckets>(
  ranges: readonly Range[],
  rowsOf: (range: Range) => number,
): Generator<Range[]> {
  let [batch, rows]: [Range[], number] = [[], 0];
  for (const range of ranges) {
    batch.push(range);
    rows += 1 + rowsOf(range);
    if (rows < rowsAtOnce) continue;
    yield batch;
    [batch, rows] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

interface CountedDays {
  readonly place: number;
  /** `isCut`: it has crossings or corrections at the end of the last bucket or later. */
  readonly days: readonly [bucket: number, entries: number, exits: number, isCut: boolean][];
}

async function* readDays(
  db: Kysely<DB>,
  ranges: readonly (CountedBuckets & { readonly place: number })[],
): AsyncGenerator<CountedDays> {
  for (const some of batchesOf(ranges, ({ starts }) => starts.length)) {
    const count = some.map(({ starts }) => starts.length);
    yield* await runStatement<CountedDays>(db, daysStatement, [
      ...numberColumns(some, 'place', 'storeId', 'to'),
      some.map(({ firstDay }) => firstDay),
      numberArray(count),
    ]);
  }
}

/* `offset 0`, here and below, makes the database look up each store's rows by their key, whatever it estimates. */
const daysStatement = `
  select place, json_agg(json_build_array(date - first_day, entries, exits, latest_at >= to_timestamp(stop / 1000))) as days
  from unnest($1::integer[], $2::integer[], $3::float8[], $4::date[], $5::integer[])
    as wanted (place, id, stop, first_day, count)
  cross join lateral (
    select date, entries, exits, latest_at from day
    where store_id = id and date >= first_day and date < first_day + count
    offset 0
  ) found
  group by place`;

interface CountedQuarters {
  /** The index of the range. */
  readonly index: number;
  readonly counted: readonly [device: number, bucket: number, entries: number, exits: number][];
}

async function* readQuarters<Range extends CountedBuckets>(
  db: Kysely<DB>,
  name: 'count-quarters' | 'count-devices-quarters',
  ranges: readonly Range[],
): AsyncGenerator<CountedQuarters> {
  const indexed = ranges
    .map((range, index) => ({ ...range, index }))
    .filter(({ starts, to }) => to > (starts[0] ?? to));
  for (const some of batchesOf(indexed, ({ starts, to }) => (to - (starts[0] ?? to)) / quarterLength)) {
    yield* await runStatement<CountedQuarters>(db, quartersStatements[name], [
      ...numberColumns(some, 'index', 'storeId', 'to'),
      some.map(({ starts }) => numberArray(starts.map(quarterAfter))),
    ]);
  }
}

/** Of a quarter hour in which the range ends before its last crossing, the crossings until then are counted. */
const quartersText = (device: string) => `
  with wanted as materialized (
    select place, id, stop, starts::integer[] as starts, floor(stop / 900000)::integer as last
    from unnest($1::integer[], $2::integer[], $3::float8[], $4::text[]) as wanted (place, id, stop, starts)
  )
  select place as index, json_agg(json_build_array(device, bucket, entries, exits)) as counted
  from (
    select place, ${device} as device, width_bucket(quarter, starts) - 1 as bucket, sum(entries) as entries, sum(exits) as exits
    from wanted
    cross join lateral (
      select exists (
        select from quarter_state
        where store_id = id and quarter = last and latest_at >= to_timestamp(stop / 1000)
      ) as is_cut
    ) last_quarter
    cross join lateral (
      select quarter, device_id, entries, exits from quarter
      where store_id = id and quarter >= starts[1] and quarter < last + case when is_cut then 0 else 1 end
      union all
      select last, device_id, (direction = 1)::integer, (direction = -1)::integer from crossing
      where is_cut and store_id = id and at >= to_timestamp(last * 900::float8) and at < to_timestamp(stop / 1000)
      offset 0
    ) found
    group by 1, 2, 3
  ) summed
  group by place`;

const quartersStatements = {
  'count-quarters': quartersText('0'),
  'count-devices-quarters': quartersText('device_id'),
};
