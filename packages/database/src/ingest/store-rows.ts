import type { ClientBase } from 'pg';
import { addCrossings, quartersOf } from '../occupancy/add-crossings.ts';
import { lockQuarters } from '../occupancy/lock-quarters.ts';
import { onClient } from '../occupancy/run-statement.ts';
import { compareWithStored, type UnstoredRow } from './compare-with-stored.ts';
import type { CrossingRow } from './crossing-row.ts';
import { insertCrossings } from './insert-crossings.ts';

/**
 * Stores rows, sorted by `compareKeys`, in the transaction that is open, and tells how many were new and
 * which are not stored as they were sent. The occupancy of their stores is right from its commit on.
 *
 * The quarters of the rows are locked first, so that of two writers to one store the second one finds the
 * crossings and the state of the first one complete.
 */
export async function storeRows(
  client: ClientBase,
  rows: readonly CrossingRow[],
): Promise<{ stored: number; unstored: readonly UnstoredRow[] }> {
  if (rows.length === 0) return { stored: 0, unstored: [] };
  const run = onClient(client);
  const locked = await lockQuarters(run, quartersOf(rows));
  const count = await insertCrossings(client, rows);
  if (count === rows.length) {
    await addCrossings(run, locked, rows);
    return { stored: count, unstored: [] };
  }
  const { inserted, unstored } = await compareWithStored(client, rows);
  if (count > 0) await addCrossings(run, locked, inserted);
  return { stored: count, unstored };
}
