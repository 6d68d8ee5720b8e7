import type { Part, Parts } from '@visitor-counter/domain/occupancy-parts';
import { numberArray } from '../ingest/sql-arrays.ts';
import { keyOfQuarter, type Quarter } from './quarter.ts';
import type { RunStatement } from './run-statement.ts';

/**
 * Locks quarters, sorted by `compareQuarters`, until the transaction ends, and gives their state by
 * `keyOfQuarter`; those without a state get an empty one. Who holds the lock is the only one to change
 * the state, and reads it as the last holder left it.
 */
export async function lockQuarters(
  run: RunStatement,
  quarters: readonly Quarter[],
): Promise<ReadonlyMap<string, Parts>> {
  const rows = await run<LockedRow>('lock-quarters', statement, [
    numberArray(quarters.map(({ storeId }) => storeId)),
    numberArray(quarters.map(({ quarter }) => quarter)),
  ]);
  return new Map(
    rows.map((row) => [keyOfQuarter({ storeId: row.store_id, quarter: row.quarter }), stateOf(row)]),
  );
}

interface LockedRow {
  readonly store_id: number;
  readonly quarter: number;
  /** A sum of null is -Infinity, which JSON cannot write. */
  readonly parts: readonly [from: number, count: number, sum: number | null, floor: number][];
  readonly latest: number | null;
  readonly unfolded_from: number | null;
  readonly unfolded_count: number;
  readonly unfolded_added: number;
}

function stateOf(row: LockedRow): Parts {
  const parts = row.parts.map(
    ([from, count, sum, floor]): Part => ({
      from,
      count,
      stretch: { sum: sum ?? Number.NEGATIVE_INFINITY, floor },
    }),
  );
  const latest = row.latest ?? Number.NEGATIVE_INFINITY;
  if (row.unfolded_from === null) return { parts, latest };
  const unfolded = { from: row.unfolded_from, count: row.unfolded_count, added: row.unfolded_added };
  return { parts, latest, unfolded };
}

/** An update that changes nothing is what locks a row and returns it as it is now, not as it was at the start. */
const statement = `
  insert into occupancy_quarter (store_id, quarter)
  select store_id, quarter from unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter)
  on conflict (store_id, quarter) do update set quarter = excluded.quarter
  returning store_id, quarter, parts, (extract(epoch from latest_at) * 1000)::float8 as latest,
    (extract(epoch from unfolded_from) * 1000)::float8 as unfolded_from, unfolded_count, unfolded_added`;
