import { type Kysely, sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import { joinCurrentStore } from './stores.ts';

/** A device that is or was in a store. */
export interface Door {
  readonly storeId: number;
  readonly serial: string;
  readonly name: string;
  /** It is in the store now and not retired. */
  readonly isPresent: boolean;
  /** When it came into the store for the first time, and was registered (epoch ms). */
  readonly since: number;
}

/** The devices that were ever in stores, by name; `now` in epoch ms. */
export async function doorsOfStores(
  db: Kysely<unknown>,
  storeIds: readonly number[],
  now: number,
): Promise<Door[]> {
  const { rows } = await sql<Door>`
    select assigned.store_id as "storeId", device.serial, device.name,
      retired_at is null and current.store_id = assigned.store_id as "isPresent",
      ${epochMs('greatest(registered_at, assigned.since)')} as since
    from (
      select store_id, device_id, min(since) as since from device_assignment
      where store_id = any(${numberArray(storeIds)}::integer[])
      group by store_id, device_id
    ) assigned
    join device on device.id = assigned.device_id
    ${joinCurrentStore(sql`${timestamp(now)}::timestamptz`)}
    order by device.name collate "C", device.serial collate "C"`.execute(db);
  return rows;
}
