/** An instant for a table: UTC, to the second; `never` where there is none. */
export function instantText(instant: Date | null): string {
  return instant ? `${instant.toISOString().slice(0, 19)}Z` : 'never';
}
