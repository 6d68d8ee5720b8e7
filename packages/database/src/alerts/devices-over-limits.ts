import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** A device with rejected messages that exceed its limits. */
export interface DeviceOverLimits {
  readonly deviceId: number;
  readonly companyId: number;
  readonly serial: string;
  readonly name: string;
  /** The store it belongs to now. */
  readonly storeId: number;
  readonly sid: string;
  readonly storeName: string;
  /** When the first of them that is still stored arrived (epoch ms). */
  readonly since: number;
}

/** The devices of companies that exceed their limits, one row per device. */
export async function devicesOverLimits(
  db: Kysely<Schema>,
  companyIds: readonly number[],
): Promise<DeviceOverLimits[]> {
  const { rows } = await sql<DeviceOverLimits>`
    select device.id as "deviceId", device.company_id as "companyId", device.serial, device.name,
      store.id as "storeId", store.sid, store.name as "storeName",
      floor(extract(epoch from first.received_at) * 1000)::float8 as since
    from device
    cross join lateral (
      select received_at from rejected_message
      where device_id = device.id and reason like 'limit:%' order by received_at limit 1
    ) first
    cross join lateral (
      select store_id from device_assignment where device_id = device.id and since <= now()
      order by since desc limit 1
    ) current
    join store on store.id = current.store_id
    where device.company_id = any(${companyIds})
    order by device.id`.execute(db);
  return rows;
}
