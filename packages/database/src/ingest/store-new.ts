import type { ClientBase } from 'pg';
import type { CrossingRow } from '../crossings/insert-crossings.ts';
import { crossingArrays } from '../crossings/insert-crossings.ts';
import { assignmentLock } from '../devices/device-stores.ts';
import { additionsJson } from '../occupancy/change.ts';
import type { StoringMemory } from './storing-memory.ts';

/**
 * Stores rows, sorted by `compareKeys`, and their change record, in a transaction that is one statement. Returns true when
 * it has committed; false when nothing was stored, because a key is in the table or a device has moved.
 */
export async function storeNew(
  client: ClientBase,
  { stores }: StoringMemory,
  rows: readonly CrossingRow[],
): Promise<boolean> {
  if (rows.length === 0) return false;
  const { rows: answers } = await client.query<{ stored: boolean }>({
    name: 'store-new',
    text: statement,
    values: [...crossingArrays(rows), additionsJson(rows), assignmentLock, stores.version],
  });
  /* The answer is complete when the statement's own transaction has committed. */
  if (client.getTransactionStatus() !== 'I') throw new Error('the transaction has not ended');
  return answers[0]?.stored === true;
}

/** The function is in the migrations, in `crossings.sql`; the parameters have its types. */
const statement = 'select store_crossings($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as stored';
