import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';
import type { Quarter } from './quarter.ts';

/** Quarters in one change record. */
const perRecord = 200;

/**
 * Records, in the transaction that changes stored crossings or corrections, that quarters have changed: the projector
 * reads them again.
 */
export async function recordRewrites(trx: Kysely<Schema>, quarters: readonly Quarter[]): Promise<void> {
  for (let start = 0; start < quarters.length; start += perRecord) {
    const entries = quarters
      .slice(start, start + perRecord)
      .map(({ storeId, quarter }) => [storeId, quarter]);
    await trx
      .insertInto('change')
      .values({ changes: JSON.stringify(entries) })
      .execute();
  }
}
