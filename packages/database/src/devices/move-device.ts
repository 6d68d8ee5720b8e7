import { sql, type Transaction } from 'kysely';
import { recordRewrites } from '../occupancy/change.ts';
import type { Quarter } from '../occupancy/quarter.ts';
import { companyId, deviceId, storeId, timestamp } from '../stores/references.ts';
import type { Schema } from '../tables/schema.ts';
import { assignmentLock } from './device-stores.ts';

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
 * Assigns a device to another store of its company and moves its stored crossings with it: a crossing's instant
 * decides its store, whenever it arrives. The projector corrects the occupancy of both stores. Returns how many were
 * moved.
 *
 * The lock excludes writers of crossings until the transaction ends: a writer that looked up the old assignment has
 * committed before the crossings are moved, and all others see the new one.
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
  const taken = sql`crossing.device_id = ${device} and crossing.store_id != ${store}
    and crossing.at >= ${timestamp(move.since)} and crossing.at < ${timestamp(move.until)}
    and crossing.store_id = any(array(select id from store where company_id = ${companyId(companyKey)}))`;
  const quarters = await sql<Quarter>`
    select store_id as "storeId", quarter from (
      select distinct store_id, floor(extract(epoch from at) / 900)::integer as quarter
      from crossing where ${taken}
    ) old_ones
    union select ${store}, floor(extract(epoch from at) / 900)::integer from crossing where ${taken}`.execute(
    trx,
  );
  /* They get this transaction's number, so that readers in commit order read them again with their new store. */
  const { numAffectedRows } = await sql`
    update crossing set store_id = ${store}, transaction = (select current_transaction()) where ${taken}`.execute(
    trx,
  );
  await recordRewrites(trx, quarters.rows);
  return Number(numAffectedRows);
}
