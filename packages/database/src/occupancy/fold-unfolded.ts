import type { Database } from '../connect.ts';
import { foldStored } from './fold-stored.ts';
import { lockQuarters } from './lock-quarters.ts';
import { compareQuarters, keyOfQuarter, startOfQuarter } from './quarter.ts';
import { onKysely, type RunStatement } from './run-statement.ts';
import { type StoredState, stateColumns, stateOf } from './stored-state.ts';
import { type QuarterState, writeQuarters } from './write-quarters.ts';

export interface FoldLimits {
  /** Quarters at a time. */
  readonly quarters: number;
  /** Crossings that are read for them, but for a single quarter that has more. */
  readonly rows: number;
}

/** A quarter as it was read, folded since. */
interface Folded extends QuarterState {
  /** The transaction that wrote what was read: as long as it is the same, nothing has changed. */
  readonly writtenBy: string;
}

/**
 * Folds quarters that writers left unfolded, the smallest first, and gives how many are done.
 *
 * Crossings are read without a lock, in one view of the database, so that no writer waits meanwhile; what was
 * changed since then stays as it is, for another time.
 */
export async function foldUnfolded({ kysely }: Database, limits: FoldLimits): Promise<number> {
  const folded = await kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((view) => foldSome(onKysely(view), limits));
  if (folded.length === 0) return 0;
  return kysely.transaction().execute(async (transaction) => {
    const run = onKysely(transaction);
    const { states } = await lockQuarters(run, folded.toSorted(compareQuarters));
    const unchanged = folded.filter(
      (quarter) => states.get(keyOfQuarter(quarter))?.writtenBy === quarter.writtenBy,
    );
    await writeQuarters(run, unchanged);
    return unchanged.length;
  });
}

async function foldSome(run: RunStatement, limits: FoldLimits): Promise<Folded[]> {
  const found = await run<StoredState & { written_by: string }>('unfolded-quarters', unfoldedStatement, [
    limits.quarters,
    limits.rows,
  ]);
  const states = await foldStored(
    run,
    found.map((row) => ({
      storeId: row.store_id,
      from: row.unfolded_from ?? startOfQuarter(row.quarter),
      to: startOfQuarter(row.quarter + 1),
      before: { parts: stateOf(row).parts, latest: Number.NEGATIVE_INFINITY },
    })),
  );
  return found.flatMap(({ store_id: storeId, quarter, written_by: writtenBy }, index) => {
    const state = states[index];
    return state === undefined ? [] : [{ storeId, quarter, writtenBy, state }];
  });
}

const unfoldedStatement = `
  select ${stateColumns}, written_by
  from (
    select *, xmin::text as written_by, sum(unfolded_count) over (order by unfolded_count, store_id, quarter) as rows,
      row_number() over (order by unfolded_count, store_id, quarter) as place
    from (
      select *, xmin from occupancy_quarter where unfolded_from is not null order by unfolded_count limit $1::integer
    ) smallest
  ) counted
  where place = 1 or rows <= $2::integer`;
