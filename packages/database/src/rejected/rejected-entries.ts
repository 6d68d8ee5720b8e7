import type { Crossing } from '@visitor-counter/domain/crossing';
import type { RejectedEntry } from '@visitor-counter/wire/crossings-message';

/**
 * An entry of a crossings message: its sequence in the journal, and the entry as it was received.
 */
type SequencedEntry = readonly [sequence: number, entry: unknown];

/** The entry of a crossing as it was received. */
export function entryOf({
  sequence,
  at,
  direction,
  uncertainty,
}: Crossing & { readonly sequence: number; readonly uncertainty?: number | null }): SequencedEntry {
  return [sequence, typeof uncertainty === 'number' ? [at, direction, uncertainty] : [at, direction]];
}

/** A part of a message that cannot be stored, in the form in which it is stored. */
export interface Rejection {
  readonly reason: string;
  readonly payload: Buffer;
  /** The entries in it; left out for a message that could not be decoded. */
  readonly entries?: { readonly journal: string; readonly sequences: readonly number[] };
}

/** The entries of a journal that were rejected for one reason. They can be retried: each has its journal and sequence. */
export function rejectionOf(reason: string, journal: string, entries: readonly SequencedEntry[]): Rejection {
  const sequences = entries.map(([sequence]) => sequence);
  const payload = Buffer.from(JSON.stringify({ journal, entries }));
  return { reason, payload, entries: { journal, sequences } };
}

/** One for each reason, so that a thousand invalid entries of a message are stored as one. */
export function rejectionsByReason(journal: string, rejected: readonly RejectedEntry[]): Rejection[] {
  if (rejected.length === 0) return [];
  const groups = Map.groupBy(rejected, ({ reason }) => reason);
  return [...groups].map(([reason, entries]) =>
    rejectionOf(
      reason,
      journal,
      entries.map(({ sequence, entry }) => [sequence, readable(entry)]),
    ),
  );
}

/** Only an array of numbers can become a crossing in a retry; anything else is stored as text. */
function readable(entry: unknown): unknown {
  if (typeof entry === 'string') return entry.slice(0, maxTextLength);
  return Array.isArray(entry) && entry.every((part) => typeof part === 'number') ? entry : textOf(entry);
}

const maxTextLength = 200;

function textOf(entry: unknown): string {
  try {
    return JSON.stringify(entry).slice(0, maxTextLength);
  } catch {
    return 'nested too deeply to be written';
  }
}
