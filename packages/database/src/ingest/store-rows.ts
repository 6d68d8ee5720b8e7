import type { ClientBase } from 'pg';
import { addCrossings } from '../occupancy/add-crossings.ts';
import { byQuarter } from '../occupancy/by-quarter.ts';
import { lockQuarters } from '../occupancy/lock-quarters.ts';
import type { RememberedQuarters } from '../occupancy/remembered-quarters.ts';
import { onClient } from '../occupancy/run-statement.ts';
import { writeQuarters } from '../occupancy/write-quarters.ts';
import { compareWithStored, type UnstoredRow } from './compare-with-stored.ts';
import type { CrossingRow } from './crossing-row.ts';
import { insertCrossings } from './insert-crossings.ts';

export interface StoredRows {
  /** Those that were new. */
  readonly inserted: readonly CrossingRow[];
  /** Which are not stored as they were sent. */
  readonly unstored: readonly UnstoredRow[];
  /**
   * Settles with the last statement, which brings the occupancy up to date and is on its way: the commit can be
   * sent after it at once. It need not be waited for where the transaction is not committed.
   */
  readonly stateWritten: Promise<void>;
}

/**
 * Stores rows, sorted by `compareKeys`, in the transaction that is open. The occupancy of their stores is right
 * from its commit on.
 *
 * Of two writers to one store the second to lock its quarters finds there what the first one has committed, and
 * reads it again where that matters. Rows are inserted before: that is most of the work, and needs no lock.
 */
export async function storeRows(
  client: ClientBase,
  rows: readonly CrossingRow[],
  remembered: RememberedQuarters,
): Promise<StoredRows> {
  if (rows.length === 0) return { inserted: [], unstored: [], stateWritten: Promise.resolve() };
  const run = onClient(client);
  const [stored, locked] = await Promise.all([
    insertCrossings(client, rows),
    lockQuarters(run, byQuarter(rows)),
  ]);
  const { inserted, unstored } =
    stored === rows.length ? { inserted: rows, unstored: [] } : await compareWithStored(client, rows);
  const quarters = stored === 0 ? [] : await addCrossings(run, locked, inserted, remembered);
  const stateWritten = writeQuarters(run, quarters);
  stateWritten.catch(() => {});
  return { inserted: stored === 0 ? [] : inserted, unstored, stateWritten };
}
