import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';

/* What corrections, staff passages and audits of doors have in common: people enter them, and none is ever changed. */

/** Which entries of stores to list, the last entered first. */
export interface EntryQuery {
  readonly storeIds: readonly number[];
  /** Instants (epoch ms), the latter exclusive. */
  readonly from: number;
  readonly to: number;
  /** Only those with a lower id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** An entry exists that has the key of a new one, which identifies it, and other content. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict';
  readonly code = 'key-conflict';
}

/**
 * When an entry is entered: now by the database's clock. One that got the present instant because its client gave a later one
 * is entered at that instant: then every instant after it is ahead, however the clocks of the machines differ.
 */
export function enteredAt({ at, givenAt }: { readonly at: number; readonly givenAt?: number | undefined }) {
  return givenAt !== undefined && givenAt > at ? sql`${timestamp(at)}::timestamptz` : sql`now()`;
}

/**
 * Whether the instant that a client gives is the one of an entry that it may have made before (epoch ms). A client that
 * gives none, or one ahead of the server's clock, gets the instant of the entry.
 */
export function isSameInstant(
  given: number | undefined,
  entry: { readonly at: number; readonly entered_at: number },
): boolean {
  return given === undefined || given === entry.at || given > entry.entered_at;
}
