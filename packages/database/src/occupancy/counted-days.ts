import type { Bucket } from '@visitor-counter/domain/buckets';
import { type Db, numberArray, numberColumns, runStatement } from '../sql/query-builder.ts';
import { type Quarter, startOfQuarter } from './quarter.ts';

/** Those of buckets that are counted. Instants are epoch ms. */
export interface Counted {
  /** When each bucket begins, ascending, each with a quarter hour. */
  readonly starts: readonly number[];
  /** When the last bucket ends, not before it begins. */
  readonly to: number;
  /** Their business days: the first (YYYY-MM-DD), their number, and whether each is one bucket. */
  readonly firstDate: string | undefined;
  readonly dates: number;
  readonly isByDay: boolean;
}

/** What is counted of a store. */
export interface CountedStore extends Counted {
  readonly storeId: number;
}

/**
 * Of buckets of whole business days that follow one another, those that begin before an instant (epoch ms); the last one is
 * counted until then.
 */
export function countedUntil(buckets: readonly Bucket[], end: number): Counted {
  const begun = buckets.filter(({ from }) => from < end);
  const dates = new Set(begun.map(({ date }) => date)).size;
  return {
    starts: begun.map(({ from }) => from),
    to: Math.min(begun.at(-1)?.to ?? end, end),
    firstDate: begun[0]?.date,
    dates,
    isByDay: dates === begun.length,
  };
}

/** About how many rows one statement reads; other requests are answered between two statements. */
const rowsAtOnce = 100_000;

export function* batchesOf<Range>(
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

/** What a business day of a store contains: `day` 0 is the first of its range, `latest` its last crossing or correction (epoch ms). */
type ProjectedDay = readonly [
  day: number,
  entries: number,
  exits: number,
  occupancy: number,
  peak: number,
  latest: number,
];

interface ProjectedDays {
  /** The index of the range. */
  readonly index: number;
  readonly days: readonly ProjectedDay[];
}

/** The days in each range that have crossings or corrections. */
export async function* readDays(db: Db, ranges: readonly CountedStore[]): AsyncGenerator<ProjectedDays> {
  const indexed = ranges.map((range, index) => ({ ...range, index })).filter(({ dates }) => dates > 0);
  for (const some of batchesOf(indexed, ({ dates }) => dates)) {
    yield* await runStatement<ProjectedDays>(db, daysStatement, [
      ...numberColumns(some, 'index', 'storeId'),
      some.map(({ firstDate }) => firstDate),
      ...numberColumns(some, 'dates'),
    ]);
  }
}

/* `offset 0` makes the database look up each store's rows by their key, whatever it estimates. */
const daysStatement = `
  select place as index, json_agg(json_build_array(
    date - first_date, entries, exits, occupancy, peak, epoch_ms(latest_at)
  )) as days
  from unnest($1::integer[], $2::integer[], $3::date[], $4::integer[]) as wanted (place, id, first_date, dates)
  cross join lateral (
    select date, entries, exits, occupancy, peak, latest_at from day
    where store_id = id and date >= first_date and date < first_date + dates
    offset 0
  ) found
  group by place`;

/** When stores began to count (epoch ms), by their ids, without those that have not: their first quarter with anything in it. */
export async function beginsOf(db: Db, storeIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await runStatement<Quarter>(db, firstStatement, [numberArray(storeIds)]);
  return new Map(rows.map(({ storeId, quarter }) => [storeId, startOfQuarter(quarter)]));
}

const firstStatement = `
  select id as store_id, quarter from unnest($1::integer[]) as wanted (id)
  cross join lateral (
    select quarter from quarter_state where store_id = id order by quarter limit 1
  ) first`;
