import { type Kysely, sql } from 'kysely';
import { requireRestored } from '../crossings/history.ts';
import type { Schema } from '../tables/schema.ts';

/** Any number that no other user of the same database takes for an advisory lock. */
const key = 7_210_311_507;

/** A process that stops in the middle of deciding would stop all others; the server ends its transaction (ms). */
const patience = 5_000;

/**
 * True when no other process is deciding on alerts; then none does until the end of the transaction. Throws while the
 * database is being restored.
 */
export async function tryEvaluationLock(trx: Kysely<Schema>): Promise<boolean> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(patience)}, true)`.execute(trx);
  await requireRestored(trx);
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${key}) as mine`.execute(
    trx,
  );
  return rows[0]?.mine === true;
}
