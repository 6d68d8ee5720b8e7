import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader } from '../sql/snapshot.ts';
import { joinCurrentStore } from './current-store.ts';

/** A device that is or was in a store. */
export interface Door {
  readonly serial: string;
  readonly name: string;
  /** It is in the store now and not retired. */
  readonly isPresent: boolean;
}

/** The devices that were ever in a store, by name; `now` in epoch ms. */
export async function doorsOfStore(db: Reader, storeId: number, now: number): Promise<Door[]> {
  const { rows } = await sql<Door>`
    select device.serial, device.name,
      retired_at is null and current.store_id = ${storeId}::integer as "isPresent"
    from (
      select distinct device_id from device_assignment where store_id = ${storeId}::integer
    ) assigned
    join device on device.id = assigned.device_id
    ${joinCurrentStore(sql`${timestamp(now)}::timestamptz`)}
    order by device.name collate "C", device.serial collate "C"`.execute(db);
  return rows;
}
