import { isDatabaseUnavailable, reasonOf } from '@visitor-counter/database/sql/unavailable';

/** The fields of an error in a log message: only the reason, without a stack, where the database is unavailable. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return isDatabaseUnavailable(error) ? { reason: reasonOf(error) } : { err: error };
}

/** The longest client id or topic of this product is far shorter. */
const maxLength = 200;

/** A text that a client chose, cut to a bounded length. */
export function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
