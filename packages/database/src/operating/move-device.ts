import { sql, type Transaction } from 'kysely';
import { assignmentLock } from '../ingest/assignment-lock.ts';
import type { Schema } from '../schema.ts';
import { companyId, deviceId, storeId, timestamp } from './references.ts';

export interface Move {
  readonly serial: string;
  /** The sid of the store it belongs to from `since` on. */
  readonly store: string;
  /** Epoch ms; -Infinity for a first assignment. */
  readonly since: number;
  /** When the next assignment begins (epoch ms), Infinity where there is none. */
  readonly until: number;
}

/**
 * Assigns a device to another store of its company and takes the crossings along that are already stored:
 * a crossing's instant decides its store, whenever it arrives. Returns how many were taken along.
 *
 * The lock keeps out, until the transaction ends, whoever stores crossings: one that looked up the old
 * assignment has committed before the crossings are taken along, and all others see the new one.
 */
export async function moveDevice(trx: Transaction<Schema>, companyKey: string, move: Move): Promise<number> {
  await sql`select pg_advisory_xact_lock(${assignmentLock})`.execute(trx);
  const device = deviceId(move.serial);
  const store = storeId(companyKey, move.store);
  await trx
    .insertInto('device_assignment')
    .values({ device_id: device, since: timestamp(move.since), store_id: store })
    .onConflict((conflict) => conflict.columns(['device_id', 'since']).doUpdateSet({ store_id: store }))
    .execute();
  const { numUpdatedRows } = await trx
    .updateTable('crossing')
    .set({ store_id: store })
    .where('device_id', '=', device)
    .where('at', '>=', timestamp(move.since))
    .where('at', '<', timestamp(move.until))
    .where('store_id', '!=', store)
    .where(
      'store_id',
      '=',
      sql<number>`any(array(select id from store
      where company_id = ${companyId(companyKey)}))`,
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
