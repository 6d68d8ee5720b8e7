import { type Kysely, sql } from 'kysely';
import { heartbeatInteger } from '../devices/heartbeat-fields.ts';
import type { Schema } from '../tables/schema.ts';

/** The free space below which the disks of a company's units count as nearly full: the larger of both. */
export interface CompanyDiskLimit {
  readonly companyId: number;
  /** Bytes. */
  readonly bytes: number;
  /** Percent of the disk's size, if the unit reports that. */
  readonly percent: number;
}

export interface DeviceWithLowDisk {
  readonly deviceId: number;
  readonly companyId: number;
  readonly serial: string;
  readonly name: string;
  /** The store it belongs to now. */
  readonly storeId: number;
  readonly sid: string;
  readonly storeName: string;
  /** Bytes, by the last heartbeat. */
  readonly diskFree: number;
  /** Bytes below which the disk is nearly full. */
  readonly limit: number;
}

/**
 * The devices whose last heartbeats report less free space than 1.1 times the limit; the caller decides about those
 * above the limit. Retired devices are left out.
 */
export async function devicesWithLowDisk(
  db: Kysely<Schema>,
  limits: readonly CompanyDiskLimit[],
): Promise<DeviceWithLowDisk[]> {
  if (limits.length === 0) return [];
  const { rows } = await sql<DeviceWithLowDisk>`
    select device.id as "deviceId", device.company_id as "companyId", device.serial, device.name,
      store.id as "storeId", store.sid, store.name as "storeName",
      free::float8 as "diskFree", lowest.bytes as "limit"
    from json_to_recordset(${JSON.stringify(limits)}) as rule ("companyId" int, bytes float8, percent float8)
    join device on device.company_id = rule."companyId" and device.retired_at is null
    join device_state on device_state.device_id = device.id and heartbeat_at is not null
    cross join lateral (select ${fields.free} as free, ${fields.size} as size) reported
    cross join lateral (
      select greatest(rule.bytes, coalesce(size, 0) * rule.percent / 100) as bytes
    ) lowest
    cross join lateral (
      select store_id from device_assignment where device_id = device.id and since <= now()
      order by since desc limit 1
    ) current
    join store on store.id = current.store_id
    where free < lowest.bytes * 1.1
    order by device.id`.execute(db);
  return rows;
}

const fields = {
  free: sql.raw(heartbeatInteger('heartbeat', 'diskFree')),
  size: sql.raw(heartbeatInteger('heartbeat', 'diskSize')),
};
