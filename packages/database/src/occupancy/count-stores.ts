import { type Db, numberArray, numberColumns, runStatement } from '../sql/query-builder.ts';
import { batchesOf, type Counted, type CountedStore, readDays } from './counted-days.ts';
import { quarterAfter, quarterLength } from './quarter.ts';

/** Entries and exits in each of the buckets of a store. */
export interface EntriesAndExits {
  readonly entries: number[];
  readonly exits: number[];
}

/**
 * Entries and exits of stores, each in its buckets, in their order. Reads the projection: business days, otherwise quarter
 * hours. Crossings are read only of a quarter hour in which the last bucket ends before its last crossing.
 */
export async function countStores(db: Db, wanted: readonly CountedStore[]): Promise<EntriesAndExits[]> {
  const counts = wanted.map(zeros);
  const places = wanted.map((one, place) => ({ ...one, place, bucket: 0 }));
  const ofQuarters = places.filter(({ isByDay }) => !isByDay);
  const byDay = places.filter(({ isByDay }) => isByDay);
  for await (const { index, days } of readDays(db, byDay)) {
    const own = byDay[index];
    if (own === undefined) continue;
    for (const [bucket, entries, exits, , , latest] of days) {
      if (latest < own.to) add(counts[own.place], bucket, entries, exits);
      else ofQuarters.push({ ...own, bucket, starts: [own.starts[bucket] ?? own.to] });
    }
  }
  for await (const { index, counted } of readQuarters(db, 'count-quarters', ofQuarters)) {
    const { place = 0, bucket: first = 0 } = ofQuarters[index] ?? {};
    for (const [, bucket, entries, exits] of counted) add(counts[place], first + bucket, entries, exits);
  }
  return counts;
}

type Times = Pick<CountedStore, 'storeId' | 'starts' | 'to'>;

/** The same for each device, by its serial number; devices that counted nothing are left out. */
export async function countByDevice(
  db: Db,
  wanted: readonly Times[],
): Promise<ReadonlyMap<string, EntriesAndExits>[]> {
  const counts = wanted.map(() => new Map<string, EntriesAndExits>());
  for await (const { index, counted } of readQuarters(db, 'count-devices-quarters', wanted)) {
    for (const [serial, bucket, entries, exits] of counted) {
      const known = counts[index]?.get(serial) ?? zeros(wanted[index] ?? { starts: [] });
      counts[index]?.set(serial, known);
      add(known, bucket, entries, exits);
    }
  }
  return counts;
}

function zeros({ starts }: Pick<Counted, 'starts'>): EntriesAndExits {
  return { entries: starts.map(() => 0), exits: starts.map(() => 0) };
}

function add(counts: EntriesAndExits | undefined, bucket: number, entries: number, exits: number): void {
  if (counts === undefined) return;
  counts.entries[bucket] = (counts.entries[bucket] ?? 0) + entries;
  counts.exits[bucket] = (counts.exits[bucket] ?? 0) + exits;
}

interface CountedQuarters {
  /** The index of the range. */
  readonly index: number;
  readonly counted: readonly [serial: string, bucket: number, entries: number, exits: number][];
}

async function* readQuarters<Range extends Times>(
  db: Db,
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
const quartersText = (device: string, serial: string) => `
  with wanted as materialized (
    select place, id, stop, starts::integer[] as starts, floor(stop / 900000)::integer as last
    from unnest($1::integer[], $2::integer[], $3::float8[], $4::text[]) as wanted (place, id, stop, starts)
  )
  select place as index, json_agg(json_build_array(${serial}, bucket, entries, exits)) as counted
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
      where is_cut and store_id = id and at >= quarter_start(last) and at < to_timestamp(stop / 1000)
      offset 0
    ) found
    group by 1, 2, 3
  ) summed
  group by place`;

const quartersStatements = {
  'count-quarters': quartersText('0', `''`),
  'count-devices-quarters': quartersText('device_id', '(select serial from device where id = device)'),
};
