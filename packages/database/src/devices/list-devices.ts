import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { allOf } from '../sql/conditions.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { joinCurrentStore, type StoreScope } from '../stores/stores.ts';

export interface ListedDevice {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  readonly company: string;
  /** The store it belongs to now: its sid and name. */
  readonly store: string | null;
  readonly storeName: string | null;
  readonly registeredAt: number;
  readonly lastActivityAt: number | null;
  readonly online: boolean;
  /** When its last heartbeat arrived. */
  readonly heartbeatAt: number | null;
  /** The heartbeat as it is stored, unchecked. */
  readonly heartbeat: unknown;
  readonly retiredAt: number | null;
  /** Since when it cannot log in, until it gets another secret. */
  readonly secretRevokedAt: number | null;
  /** Since when it is suspected of counting in the wrong direction. */
  readonly directionDoubtfulSince: number | null;
}

/** Selects devices; each field that is set restricts the selection. */
interface DeviceFilter {
  readonly company?: string | undefined;
  /** The sid of the store that they belong to now. */
  readonly store?: string | undefined;
  /** The name of a shop group that this store is in. */
  readonly group?: string | undefined;
  readonly serials?: readonly string[] | undefined;
}

/** The devices that a filter selects, by company and serial. */
export async function listDevices(
  db: Kysely<DB>,
  { company, store, group, serials }: DeviceFilter = {},
): Promise<ListedDevice[]> {
  const { rows } = await sql<ListedDevice>`
    select device.id, serial, device.name, company.name as company, current.sid as store,
      current.name as "storeName", registered_at as "registeredAt", state.last_activity_at as "lastActivityAt",
      coalesce(connection.online, false) as online, state.heartbeat_at as "heartbeatAt", state.heartbeat,
      retired_at as "retiredAt", secret_revoked_at as "secretRevokedAt",
      doubtful.since as "directionDoubtfulSince"
    from device
    join company on company.id = device.company_id
    left join device_state state on state.device_id = device.id
    left join doubtful_direction doubtful on doubtful.device_id = device.id
    left join device_connection connection on connection.device_id = device.id
    left join lateral (
      select store.id, sid, store.name from device_assignment join store on store.id = store_id
      where device_id = device.id and since <= now() order by since desc limit 1
    ) current on true
    where ${allOf(
      company !== undefined && sql`company.name_key = ${nameKey(company)}`,
      store !== undefined && sql`current.sid = ${store}`,
      group !== undefined &&
        sql`exists (
          select from shop_group join shop_group_store member on member.shop_group_id = shop_group.id
          where shop_group.company_id = device.company_id and member.store_id = current.id
            and shop_group.name_key = ${nameKey(group)}
        )`,
      serials && sql`serial_key = any(${serials.map(nameKey)}::text[])`,
    )}
    order by company.name_key, serial_key`.execute(db);
  return rows;
}

export interface InactiveDevice {
  readonly id: number;
  readonly serial: string;
  readonly name: string;
  /** Epoch ms; of a device that never reported, when it was registered. */
  readonly lastActivity: number;
  readonly sid: string;
  readonly storeName: string;
  readonly address: string;
  readonly city: string;
  readonly timeZone: string;
  readonly companyId: number;
}

interface InactiveSince extends StoreScope {
  /** Epoch ms: a device that was last active at this instant, or before, is inactive. */
  readonly cutoff: number;
  /** Epoch ms: decides which assignment is the current one. */
  readonly now: number;
}

/**
 * The devices of the visible stores that have been silent since `cutoff`, without retired ones; by store name, then
 * serial.
 */
export async function inactiveDevices(db: Kysely<DB>, query: InactiveSince): Promise<InactiveDevice[]> {
  const { rows } = await sql<InactiveDevice>`
    select device.id, device.serial, device.name, device.company_id,
      ${epochMs('activity.last')} as last_activity,
      store.sid, store.name as store_name, store.address, store.city, store.time_zone
    from device
    left join device_state on device_state.device_id = device.id
    cross join lateral (select coalesce(device_state.last_activity_at, device.registered_at) as last) activity
    ${joinCurrentStore(sql`${timestamp(query.now)}::timestamptz`)}
    join store on store.id = current.store_id
    where device.company_id = ${query.companyId} and device.retired_at is null
      and (${query.storeIds}::integer[] is null or store.id = any(${query.storeIds}::integer[]))
      and activity.last <= ${timestamp(query.cutoff)}::timestamptz
    order by store.name collate "C", store.id, device.serial collate "C"`.execute(db);
  return rows;
}
