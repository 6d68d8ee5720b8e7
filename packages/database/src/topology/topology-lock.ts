import { sql, type Transaction } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** Any number that no other user of the same database takes for an advisory lock. */
const topologyLock = 7_210_311_505;

/**
 * Makes whoever changes companies, stores, devices and credentials wait for each other, until the
 * transaction ends: what one of them has read stays true until it has written.
 */
export async function lockTopology(trx: Transaction<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${topologyLock})`.execute(trx);
}
