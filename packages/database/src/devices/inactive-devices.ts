import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader } from '../sql/snapshot.ts';
import type { Sight } from '../stores/store-facts.ts';

export interface InactiveDevice {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  /** Epoch ms; of a device that never reported, when it was registered. */
  readonly last_activity: number;
  readonly sid: string;
  readonly store_name: string;
  readonly address: string;
  readonly city: string;
  readonly time_zone: string;
  readonly company_id: number;
}

export interface InactiveSince extends Sight {
  /** Epoch ms: a device that was last active at this instant, or before, is inactive. */
  readonly cutoff: number;
  /** Epoch ms: decides which assignment is the current one. */
  readonly now: number;
}

/**
 * The devices of the visible stores that have been silent since `cutoff`, without retired ones; by store name, then
 * serial.
 */
export async function inactiveDevices(db: Reader, query: InactiveSince): Promise<InactiveDevice[]> {
  const { rows } = await sql<InactiveDevice>`
    select device.id, device.serial, device.name, device.company_id,
      floor(extract(epoch from activity.last) * 1000)::float8 as last_activity,
      store.sid, store.name as store_name, store.address, store.city, store.time_zone
    from device
    left join device_state on device_state.device_id = device.id
    cross join lateral (select coalesce(device_state.last_activity_at, device.registered_at) as last) activity
    cross join lateral (
      select store_id from device_assignment
      where device_id = device.id and since <= ${timestamp(query.now)}::timestamptz
      order by since desc limit 1
    ) current
    join store on store.id = current.store_id
    where device.company_id = ${query.companyId} and device.retired_at is null
      and (${query.storeIds}::integer[] is null or store.id = any(${query.storeIds}::integer[]))
      and activity.last <= ${timestamp(query.cutoff)}::timestamptz
    order by store.name collate "C", store.id, device.serial collate "C"`.execute(db);
  return rows;
}
