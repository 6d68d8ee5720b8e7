import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Any number that no other user of the same database takes for an advisory lock. */
const key = 7_210_311_507;

/** True when nobody else is deciding on alerts; then nobody does until the end of the transaction. */
export async function tryEvaluationLock(trx: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${key}) as mine`.execute(
    trx,
  );
  return rows[0]?.mine === true;
}
