/** PostgreSQL cannot store or compare NUL characters, and different halves of surrogate pairs would become the same text. */
export function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));
}

/** What `isStorable` accepts, ending the sentence "<name> must be …". */
export const storableExpected = 'well-formed text without NUL characters';
