import { numberArray } from '../ingest/sql-arrays.ts';
import type { RunStatement } from '../occupancy/run-statement.ts';

/** From which quarter on, of which store. */
export interface QuartersOf {
  readonly storeId: number;
  readonly first: number;
}

/** The state of a quarter that has a crossing or a correction. */
export interface QuarterRow {
  readonly storeId: number;
  readonly quarter: number;
  readonly sum: number;
  readonly floor: number;
  /** Epoch ms. */
  readonly latest: number;
  /** Epoch ms; null when all is folded. */
  readonly unfolded: number | null;
}

/** The quarters of stores up to `last`, those of a store in the order of time. */
export async function readQuarters(
  run: RunStatement,
  asked: readonly QuartersOf[],
  last: number,
): Promise<QuarterRow[]> {
  const rows: QuarterRow[] = [];
  for (const [first, stores] of Map.groupBy(asked, ({ first }) => first)) {
    const storeIds = numberArray(stores.map(({ storeId }) => storeId));
    const [columns] = await run<Columns>('read-quarters', statement, [storeIds, first, last]);
    if (columns) rows.push(...rowsOf(columns));
  }
  return rows;
}

function rowsOf(columns: Columns): QuarterRow[] {
  const quarter = numbers(columns.quarter);
  const sum = numbers(columns.sum);
  const floor = numbers(columns.floor);
  const latest = numbers(columns.latest);
  const unfolded = numbers(columns.unfolded);
  return numbers(columns.store).map((storeId, index) => ({
    storeId,
    quarter: quarter[index] ?? 0,
    sum: sum[index] === noSum ? Number.NEGATIVE_INFINITY : (sum[index] ?? 0),
    floor: floor[index] ?? 0,
    latest: latest[index] ?? 0,
    unfolded: unfolded[index] || null,
  }));
}

/** An array of numbers as PostgreSQL writes it, `{1,2}`; null where nothing was aggregated. */
function numbers(array: string | null): number[] {
  return array === null ? [] : JSON.parse(`[${array.slice(1, -1)}]`);
}

/** Stands for a sum of -Infinity. */
const noSum = -2_147_483_648;

type Columns = Readonly<Record<'store' | 'quarter' | 'sum' | 'floor' | 'latest' | 'unfolded', string | null>>;

/*
 * One row of arrays: a row for each of thousands of quarters costs the reader far more than the database. The stores
 * go through a subselect, since a plan for what they are costs more than it gains.
 * date_part counts in floating point, exact to the millisecond; extract in decimals, at ten times the cost.
 */
const statement = `
  select array_agg(store_id)::text as store, array_agg(quarter)::text as quarter,
    array_agg(coalesce(sum, ${noSum}))::text as sum, array_agg(floor)::text as floor,
    array_agg((date_part('epoch', latest_at) * 1000)::bigint)::text as latest,
    array_agg(coalesce((date_part('epoch', unfolded_from) * 1000)::bigint, 0))::text as unfolded
  from (
    select * from occupancy_quarter
    where store_id = any(array(select unnest($1::integer[])))
      and quarter between $2::integer and $3::integer and latest_at is not null
    order by store_id, quarter
  ) in_order`;
