import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** The state of a device that alert conditions depend on. */
export interface DeviceInTrouble {
  readonly deviceId: number;
  readonly companyId: number;
  readonly serial: string;
  readonly name: string;
  /** The store it belongs to now. */
  readonly storeId: number;
  readonly sid: string;
  readonly storeName: string;
  /** Epoch ms of its last message, or of its registration if there was none. */
  readonly heardAt: number;
  /** Epoch ms of the arrival of its last heartbeat; null if there was none. */
  readonly heartbeatAt: number | null;
  /** The heartbeat as the unit sent it, unchecked. */
  readonly heartbeat: unknown;
}

/**
 * The devices of companies that may need an alert: silent since `cutoff` (epoch ms), with a blocked beam or a storage
 * problem, or among `known`, which already have one. Retired devices are left out.
 */
export async function devicesInTrouble(
  db: Kysely<Schema>,
  {
    companyIds,
    cutoff,
    known,
  }: { readonly companyIds: readonly number[]; readonly cutoff: number; readonly known: readonly number[] },
): Promise<DeviceInTrouble[]> {
  const { rows } = await sql<DeviceInTrouble>`
    select device.id as "deviceId", device.company_id as "companyId", device.serial, device.name,
      store.id as "storeId", store.sid, store.name as "storeName",
      (extract(epoch from coalesce(last_activity_at, registered_at)) * 1000)::float8 as "heardAt",
      (extract(epoch from heartbeat_at) * 1000)::float8 as "heartbeatAt", heartbeat
    from device
    left join device_state on device_state.device_id = device.id
    cross join lateral (
      select store_id from device_assignment where device_id = device.id and since <= now()
      order by since desc limit 1
    ) current
    join store on store.id = current.store_id
    where device.company_id = any(${companyIds}) and device.retired_at is null and (
      coalesce(last_activity_at, registered_at) <= to_timestamp(${cutoff}::float8 / 1000)
      or heartbeat::text like '%"blocked"%'
      or heartbeat::text like '%"storage":%'
      or device.id = any(${known})
    )
    order by device.id`.execute(db);
  return rows;
}
