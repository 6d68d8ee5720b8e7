import type { ClientBase } from 'pg';
import { addToRemembered, type NextState } from '../occupancy/add-to-remembered.ts';
import { byQuarter } from '../occupancy/by-quarter.ts';
import { stateArrays } from '../occupancy/write-quarters.ts';
import { assignmentLock } from './assignment-lock.ts';
import type { CrossingRow } from './crossing-row.ts';
import { crossingArrays } from './insert-crossings.ts';
import { numberArray } from './sql-arrays.ts';
import type { StoringMemory } from './storing-memory.ts';

/**
 * Stores rows, sorted by `compareKeys`, in a transaction that is one statement, where what is remembered is enough to
 * know what it will find: that all rows are new, where their devices belong, and the states of their quarters. True when
 * it has committed. False when nothing was stored, because something is not remembered, or because it is no longer so:
 * the database compares.
 */
export async function storeInOneFlight(
  client: ClientBase,
  { highest, quarters, setbacks, stores }: StoringMemory,
  rows: readonly CrossingRow[],
): Promise<boolean> {
  if (!setbacks.mayTry() || !highest.areBehind(rows)) return false;
  const states = addToRemembered(byQuarter(rows), quarters);
  if (states === undefined) return false;
  try {
    const writtenBy = await storeNext(client, rows, states, stores.version);
    for (const { key, before, crossings, state } of states) {
      quarters.remember(key, { before, added: crossings, state, writtenBy });
    }
    highest.note(rows);
    setbacks.wentWell();
    return true;
  } catch (error) {
    if (!isBecauseOfOthers(error)) throw error;
    setbacks.failed();
    return false;
  }
}

/**
 * Gives the transaction that wrote the states, none of which has anything unfolded. Fails with unique_violation (23505)
 * where a key is in the table, and with serialization_failure (40001) where somebody else has written one of the
 * quarters, or where the assignments of devices are no longer those of `assignments`.
 */
async function storeNext(
  client: ClientBase,
  rows: readonly CrossingRow[],
  states: readonly NextState[],
  assignments: string,
): Promise<string> {
  const { rows: answers } = await client.query<{ writer: string }>({
    name: 'store-next',
    text: statement,
    values: [
      ...crossingArrays(rows),
      ...stateArrays(states),
      numberArray(states.map(({ before }) => Number(before.writtenBy))),
      assignmentLock,
      assignments,
    ],
  });
  /* The answer is complete when the statement's own transaction has committed; in one that goes on nothing has. */
  if (client.getTransactionStatus() !== 'I') throw new Error('the transaction has not ended');
  return answers[0]?.writer ?? '';
}

/** Its types are those of the function, which a migration has made. */
const statement = `
  select store_next($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) as writer`;

/** unique_violation, serialization_failure, deadlock_detected. */
function isBecauseOfOthers(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === '23505' || code === '40001' || code === '40P01';
}
