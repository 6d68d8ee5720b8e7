import { numberArray } from '../ingest/sql-arrays.ts';
import type { RunStatement } from '../occupancy/run-statement.ts';

/** What has changed in quarters that are over, at one moment. */
export interface LateChanges {
  /** Where the tables came from: numbers of changes compare only within one origin (see the migration of histories). */
  readonly origin: string;
  /** The first quarter that is not over for sure. */
  readonly open: number;
  /** How often the quarters of a store from `first` to `last` were changed after they were over. */
  count(storeId: number, first: number, last: number): number;
}

/**
 * How many quarters back a change may come without being noted, by the clock of the database: the quarter before
 * the one that runs, and one more for transactions that were under way when that one ended.
 */
const open = 2;

/** Stands for all stores: the table of quarters was emptied. */
const allStores = 0;

/** The changes of stores in quarters from `first` on. */
export async function readLateChanges(
  run: RunStatement,
  storeIds: readonly number[],
  first: number,
): Promise<LateChanges> {
  const rows = await run<{ store_id: number; quarter: number; count: number; origin: string | null }>(
    'late-changes',
    statement,
    [numberArray([...storeIds, allStores]), first],
  );
  const changes = Map.groupBy(rows.slice(1), ({ store_id: storeId }) => storeId);
  const ofAll = changes.get(allStores)?.[0]?.count ?? 0;
  return {
    origin: rows[0]?.origin ?? '',
    open: (rows[0]?.quarter ?? 0) - open,
    count: (storeId, from, last) =>
      (changes.get(storeId) ?? [])
        .filter(({ quarter }) => quarter >= from && quarter <= last)
        .reduce((sum, { count }) => sum + count, ofAll),
  };
}

/* The first row is the quarter that runs now. */
const statement = `
  select 0 as store_id, floor(extract(epoch from clock_timestamp()) / 900)::integer as quarter, 0 as count,
    history_origin() as origin
  union all
  select * from (
    select store_id, quarter, count(*)::integer, null from occupancy_late_change
    where store_id = any(array(select unnest($1::integer[]))) and quarter >= $2::integer group by store_id, quarter
  ) changes`;
