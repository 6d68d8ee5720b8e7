/** An entry of a crossings message that was not stored: its sequence in the journal, and as it came. */
export type RejectedEntry = readonly [sequence: number, entry: unknown];

/**
 * What is kept of a crossings message of which some entries could not be stored. It can be tried again:
 * each entry has its journal and sequence.
 */
export function encodeRejectedEntries(journal: string, entries: readonly RejectedEntry[]): Buffer {
  return Buffer.from(JSON.stringify({ journal, entries }));
}
