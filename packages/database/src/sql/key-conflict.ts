/** An entry exists that has the key of a new one, which identifies it, and other content. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict';
  readonly code = 'key-conflict';
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
