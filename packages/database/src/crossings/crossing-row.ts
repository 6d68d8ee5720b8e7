import type { KeyedCrossing } from '@visitor-counter/domain/crossing';

/** A crossing to store; `message` is the index of the message that contains it. */
export interface CrossingRow extends KeyedCrossing {
  readonly message: number;
  readonly journalId: number;
  readonly uncertainty: number | null;
}

/** A crossing that cannot be stored, and why. */
export interface RejectedRow {
  readonly row: CrossingRow;
  readonly reason: string;
}

/** The reason for rejecting a crossing whose key another crossing has. */
export const conflict = 'conflict: another crossing is stored under this journal and sequence';

/**
 * The order of the table's key, in which every writer writes, so that two writers do not deadlock. Sorting is stable:
 * of two rows with one key the one that arrived first stays first.
 */
export function compareKeys(a: CrossingRow, b: CrossingRow): number {
  return a.journalId - b.journalId || a.sequence - b.sequence;
}
