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

/** Business days of a store, both included (YYYY-MM-DD). */
interface DayRange {
  readonly storeId: number;
  readonly firstDate: string;
  readonly lastDate: string;
}

/** What a business day of a store contains. */
export interface ProjectedDay {
  readonly occupancy: number;
  readonly peak: number;
  /** The instant of its latest crossing or correction (epoch ms). */
  readonly latest: number;
}

/** The days in each range that have crossings or corrections, by their dates. */
export async function projectedDays(
  db: Kysely<DB>,
  ranges: readonly DayRange[],
): Promise<ReadonlyMap<string, ProjectedDay>[]> {
  const rows = await runStatement<{ days: DayRow[] | null }>(db, daysStatement, [
    ...numberColumns(ranges, 'storeId'),
    ranges.map(({ firstDate }) => firstDate),
    ranges.map(({ lastDate }) => lastDate),
  ]);
  return rows.map(
    ({ days }) =>
      new Map((days ?? []).map(([date, occupancy, peak, latest]) => [date, { occupancy, peak, latest }])),
  );
}

type DayRow = [date: string, occupancy: number, peak: number, latest: number];

const daysStatement = `
  select days
  from unnest($1::integer[], $2::date[], $3::date[]) with ordinality as wanted (id, first, last, place)
  cross join lateral (
    select json_agg(json_build_array(date, occupancy, peak, floor(extract(epoch from latest_at) * 1000))) as days
    from day where store_id = id and date >= first and date <= last
    offset 0
  ) found
  order by place`;
