import { sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';

/**
 * Throws, with the SQLSTATE of a server that is still starting, while the database is being restored: a row that is not
 * there may only not be there yet.
 */
export async function requireRestored(db: Reader): Promise<void> {
  await sql`select require_restored()`.execute(db);
}
