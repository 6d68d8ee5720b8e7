import type { Stretch } from '@visitor-counter/domain/occupancy';
import type { Kysely } from 'kysely';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import type { Quarter } from './quarter.ts';

/** The quarters of a store from `first` to the one before `next`. */
interface QuarterRange {
  readonly storeId: number;
  readonly first: number;
  readonly next: number;
}

/** What a quarter hour of a store contains. */
export interface QuarterState {
  readonly quarter: number;
  readonly stretch: Stretch;
  /** The instant of its latest crossing or correction (epoch ms). */
  readonly latest: number;
}

/** The quarters in each range that have crossings or corrections, in the order of time. */
export async function readStates(db: Kysely<DB>, ranges: readonly QuarterRange[]): Promise<QuarterState[][]> {
  if (ranges.length === 0) return [];
  const values = numberColumns(ranges, 'storeId', 'first', 'next');
  const rows = await runStatement<{ states: StateRow[] | null }>(db, statement, values);
  return rows.map(({ states }) =>
    (states ?? []).map(([quarter, sum, floor, peakSum, peakFloor, latest]) => {
      return { quarter, stretch: { sum, floor, peakSum, peakFloor }, latest };
    }),
  );
}

type StateRow = [
  quarter: number,
  sum: number,
  floor: number,
  peakSum: number,
  peakFloor: number,
  latest: number,
];

const statement = `
  select states
  from unnest($1::integer[], $2::integer[], $3::integer[]) with ordinality as wanted (store_id, first, next, place)
  cross join lateral (
    select json_agg(json_build_array(
      quarter, sum, floor, peak_sum, peak_floor, floor(extract(epoch from latest_at) * 1000)
    ) order by quarter) as states
    from quarter_state state
    where state.store_id = wanted.store_id and quarter >= first and quarter < next
    offset 0
  ) found
  order by place`;

/** The first quarter of each store that has a crossing or a correction, by the id of the store. */
export async function firstQuarters(
  db: Kysely<DB>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await runStatement<Quarter>(db, firstStatement, [numberArray(storeIds)]);
  return new Map(rows.map(({ storeId, quarter }) => [storeId, quarter]));
}

const firstStatement = `
  select id as store_id, quarter from unnest($1::integer[]) as wanted (id)
  cross join lateral (
    select quarter from quarter_state where store_id = id order by quarter limit 1
  ) first`;

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

/** Business days of a store that follow one another. */
export interface DayRange {
  readonly storeId: number;
  /** YYYY-MM-DD */
  readonly firstDate: string | undefined;
  /** Their number. */
  readonly dates: number;
}

/** What a business day of a store contains: `day` 0 is the first of its range, `latest` its last crossing or correction (epoch ms). */
export type ProjectedDay = readonly [
  day: number,
  entries: number,
  exits: number,
  occupancy: number,
  peak: number,
  latest: number,
];

export interface ProjectedDays {
  /** The index of the range. */
  readonly index: number;
  readonly days: readonly ProjectedDay[];
}

/** The days in each range that have crossings or corrections. */
export async function* readDays(db: Kysely<DB>, ranges: readonly DayRange[]): AsyncGenerator<ProjectedDays> {
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
    date - first_date, entries, exits, occupancy, peak, floor(extract(epoch from latest_at) * 1000)
  )) as days
  from unnest($1::integer[], $2::integer[], $3::date[], $4::integer[]) as wanted (place, id, first_date, dates)
  cross join lateral (
    select date, entries, exits, occupancy, peak, latest_at from day
    where store_id = id and date >= first_date and date < first_date + dates
    offset 0
  ) found
  group by place`;
