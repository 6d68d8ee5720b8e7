import { numberArray } from '../sql/arrays.ts';
import type { RunStatement } from '../sql/run-statement.ts';
import { QuarterStates, stateBytes } from './quarter-states.ts';

/** From which quarter on, of which store. */
export interface QuartersOf {
  readonly storeId: number;
  readonly first: number;
}

/** The quarters of stores up to `last`, those of a store in the order of time. */
export async function readQuarters(
  run: RunStatement,
  asked: readonly QuartersOf[],
  last: number,
): Promise<QuarterStates[]> {
  const read: QuarterStates[] = [];
  for (const [first, stores] of Map.groupBy(asked, ({ first }) => first)) {
    const storeIds = numberArray(stores.map(({ storeId }) => storeId));
    const [row] = await run<{ states: Buffer | null }>('read-quarters', statement, [storeIds, first, last]);
    if (row?.states) read.push(new QuarterStates(row.states));
  }
  return read;
}

/*
 * One value: a row for each of thousands of quarters costs the reader far more than the database, and text more than
 * bytes. The stores go through a subselect, since a plan for what they are costs more than it gains.
 */
const statement = `
  select string_agg(${stateBytes}, '') as states
  from (
    select * from occupancy_quarter
    where store_id = any(array(select unnest($1::integer[])))
      and quarter between $2::integer and $3::integer and latest_at is not null
    order by store_id, quarter
  ) in_order`;
