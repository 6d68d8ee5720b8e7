import type { ClientBase } from 'pg';
import { addToRemembered } from '../occupancy/add-to-remembered.ts';
import { byQuarter } from '../occupancy/by-quarter.ts';
import { onClient } from '../occupancy/run-statement.ts';
import { writeNextStates } from '../occupancy/write-next-states.ts';
import { lockAssignments } from './begin-storing.ts';
import type { CrossingRow } from './crossing-row.ts';
import { insertNewCrossings } from './insert-crossings.ts';
import type { StoringMemory } from './storing-memory.ts';

/**
 * Stores rows, sorted by `compareKeys`, in a transaction that is sent as a whole, where what is remembered is enough
 * to know what it will find: that all rows are new, where their devices belong, and the states of their quarters.
 * True when it has committed. False when nothing was stored, because something is not remembered, or because it is no
 * longer so: the database compares, and then makes a rollback of the commit.
 */
export async function storeInOneFlight(
  client: ClientBase,
  { highest, quarters, setbacks, stores }: StoringMemory,
  rows: readonly CrossingRow[],
): Promise<boolean> {
  if (!setbacks.mayTry() || !highest.areBehind(rows)) return false;
  const states = addToRemembered(byQuarter(rows), quarters);
  if (states === undefined) return false;
  const sent = [client.query('begin'), client.query(lockAssignments), insertNewCrossings(client, rows)];
  const written = writeNextStates(onClient(client), states, stores.version);
  const ended = client.query('commit');
  try {
    const [writtenBy, { command }] = await Promise.all([written, ended, ...sent]);
    if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`);
    for (const { key, before, crossings, state } of states) {
      quarters.remember(key, { before, added: crossings, state, writtenBy });
    }
    highest.note(rows);
    setbacks.wentWell();
    return true;
  } catch (error) {
    await ended;
    if (!isBecauseOfOthers(error)) throw error;
    setbacks.failed();
    return false;
  }
}

/** unique_violation, serialization_failure, deadlock_detected. */
function isBecauseOfOthers(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === '23505' || code === '40001' || code === '40P01';
}
