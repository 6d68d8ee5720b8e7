import { numberArray } from '../ingest/sql-arrays.ts';
import type { NextState } from './add-to-remembered.ts';
import type { RunStatement } from './run-statement.ts';
import { stateArrays } from './write-quarters.ts';

/**
 * Writes states that have nothing unfolded, and gives the transaction that is open, which has written them. Fails with
 * serialization_failure (40001) where somebody else has written one of the quarters, or where the assignments of
 * devices are no longer those of `assignments`.
 */
export async function writeNextStates(
  run: RunStatement,
  states: readonly NextState[],
  assignments: string,
): Promise<string> {
  const [row] = await run<{ writer: string }>('write-next-states', statement, [
    ...stateArrays(states),
    numberArray(states.map(({ before }) => Number(before.writtenBy))),
    states.length,
    assignments,
  ]);
  return row?.writer ?? '';
}

/** Whoever else is about to write a quarter is waited for, and its row then looked at as it was left. */
const statement = `
  with written as (
    update occupancy_quarter q set
      sum = next.sum, floor = next.floor, latest_at = to_timestamp(latest / 1000), parts = next.parts::json,
      unfolded_from = null, unfolded_count = count, unfolded_added = added
    from unnest(
      $1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::double precision[],
      $6::double precision[], $7::integer[], $8::integer[], $9::text[], $10::xid[]
    ) as next (store_id, quarter, sum, floor, latest, unfolded, count, added, parts, written_by)
    where (q.store_id, q.quarter) = (next.store_id, next.quarter) and q.xmin = next.written_by
    returning 1
  )
  select pg_current_xact_id()::xid::text as writer,
    require_unchanged((select count(*) from written) = $11::bigint and version = $12::bigint)
  from assignment_version`;
