import type { Parts } from '@visitor-counter/domain/occupancy-parts';
import { numberArray } from '../ingest/sql-arrays.ts';
import { keyOfQuarter, type Quarter } from './quarter.ts';
import type { RunStatement } from './run-statement.ts';
import { type StoredState, stateColumns, stateOf } from './stored-state.ts';

/**
 * Locks quarters, sorted by `compareQuarters`, until the transaction ends, and gives their state by
 * `keyOfQuarter`; those without a state get an empty one. Who holds the lock is the only one to change
 * the state, and reads it as the last holder left it.
 */
export async function lockQuarters(
  run: RunStatement,
  quarters: readonly Quarter[],
): Promise<ReadonlyMap<string, Parts>> {
  const rows = await run<StoredState>('lock-quarters', statement, [
    numberArray(quarters.map(({ storeId }) => storeId)),
    numberArray(quarters.map(({ quarter }) => quarter)),
  ]);
  return new Map(
    rows.map((row) => [keyOfQuarter({ storeId: row.store_id, quarter: row.quarter }), stateOf(row)]),
  );
}

/** An update that changes nothing is what locks a row and returns it as it is now, not as it was at the start. */
const statement = `
  insert into occupancy_quarter (store_id, quarter)
  select store_id, quarter from unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter)
  on conflict (store_id, quarter) do update set quarter = excluded.quarter
  returning ${stateColumns}`;
