import type { KeyedCrossing } from '@visitor-counter/domain/crossing';

/** A crossing on its way into the table; `message` is the index of the message that brought it. */
export interface CrossingRow extends KeyedCrossing {
  readonly message: number;
  readonly journalId: number;
  /** The store of its device at its instant. */
  readonly storeId: number;
  readonly uncertainty: number | null;
}

/**
 * The order of the table's key, in which everybody writes, so that two writers do not wait for each other
 * in a circle. Sorting is stable: of two rows with one key the one that arrived first stays first.
 */
export function compareKeys(a: CrossingRow, b: CrossingRow): number {
  return a.journalId - b.journalId || a.sequence - b.sequence;
}
