import { numberArray } from '../ingest/sql-arrays.ts';
import { keyOfQuarter, type Quarter } from './quarter.ts';
import type { WrittenState } from './remembered-quarters.ts';
import type { RunStatement } from './run-statement.ts';
import { type StoredState, stateColumns, stateOf } from './stored-state.ts';

/** Quarters that a transaction has locked. */
export interface LockedQuarters {
  /** The transaction. */
  readonly writer: string;
  /** By `keyOfQuarter`. */
  readonly states: ReadonlyMap<string, WrittenState>;
}

/**
 * Locks quarters, sorted by `compareQuarters`, until the transaction ends, and gives their states; those without
 * one get an empty one. Who holds the lock is the only one to change the state, and reads it as the last holder
 * left it.
 */
export async function lockQuarters(run: RunStatement, quarters: readonly Quarter[]): Promise<LockedQuarters> {
  const values = [
    numberArray(quarters.map(({ storeId }) => storeId)),
    numberArray(quarters.map(({ quarter }) => quarter)),
  ];
  const [, rows] = await Promise.all([
    run('add-quarters', addStatement, values),
    run<StoredState & { written_by: string; writer: string }>('lock-quarters', lockStatement, values),
  ]);
  return {
    writer: rows[0]?.writer ?? '',
    states: new Map(
      rows.map((row) => [
        keyOfQuarter({ storeId: row.store_id, quarter: row.quarter }),
        { state: stateOf(row), writtenBy: row.written_by },
      ]),
    ),
  };
}

const addStatement = `
  insert into occupancy_quarter (store_id, quarter)
  select store_id, quarter from unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter)
  on conflict (store_id, quarter) do nothing`;

/** A row is returned as it is when it is locked, not as it was when the statement began. */
const lockStatement = `
  select ${stateColumns}, q.xmin::text as written_by, pg_current_xact_id()::xid::text as writer
  from occupancy_quarter q
  join unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter) using (store_id, quarter)
  order by store_id, quarter
  for update of q`;
