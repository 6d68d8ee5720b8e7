import { isDatabaseAway, reasonOf } from '@visitor-counter/database/sql/unavailable';

/** What the log tells of an error: that the database is away needs no stack. */
export function aboutError(error: unknown): Readonly<Record<string, unknown>> {
  return isDatabaseAway(error) ? { reason: reasonOf(error) } : { err: error };
}
