import { type Kysely, sql } from 'kysely';
import { requireRestored } from '../crossings/history.ts';
import type { Schema } from '../tables/schema.ts';

/** The key of an advisory lock; nothing else in the same database may use it. */
const key = 7_210_311_507;

/** The server ends a transaction that is idle for this long (ms): a process that hangs would block all others. */
const idleTimeout = 5_000;

/**
 * Locks the evaluation of alerts until the end of the transaction; false if another process has the lock. Throws
 * while the database is being restored.
 */
export async function tryEvaluationLock(trx: Kysely<Schema>): Promise<boolean> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(idleTimeout)}, true)`.execute(
    trx,
  );
  await requireRestored(trx);
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${key}) as mine`.execute(
    trx,
  );
  return rows[0]?.mine === true;
}
