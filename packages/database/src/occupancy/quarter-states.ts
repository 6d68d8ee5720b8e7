import type { Stretch } from '@visitor-counter/domain/occupancy';
import type { Kysely } from 'kysely';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import { type Quarter, startOfQuarter } from './quarter.ts';

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
  const rows = await runStatement<{ states: StateRow[] }>(db, statement, values);
  return rows.map(({ states }) =>
    states.map(([quarter, sum, floor, peakSum, peakFloor, latest]) => {
      return { quarter, stretch: { sum, floor, peakSum, peakFloor }, latest };
    }),
  );
}

/** As in QuarterState: these arrays are half as many bytes as objects. */
type StateRow = [number, number, number, number, number, number];

const statement = `
  select coalesce(states, '[]') as states
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

/** When stores began to count (epoch ms), by their ids, without those that have not: their first quarter with anything in it. */
export async function beginsOf(
  db: Kysely<DB>,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await runStatement<Quarter>(db, firstStatement, [numberArray(storeIds)]);
  return new Map(rows.map(({ storeId, quarter }) => [storeId, startOfQuarter(quarter)]));
}

const firstStatement = `
  select id as store_id, quarter from unnest($1::integer[]) as wanted (id)
  cross join lateral (
    select quarter from quarter_state where store_id = id order by quarter limit 1
  ) first`;
