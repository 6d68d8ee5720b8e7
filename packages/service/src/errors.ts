/** The message of an error; for a host with several addresses, the messages for all of them. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message || String(error) : String(error);
}

/** Something cannot be done as things are. The message gives the reason, and a way out, for the person who asked for it. */
export class Refused extends Error {
  override readonly name: string = 'Refused';
}

/** The `code` of a system's error; undefined for others. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
