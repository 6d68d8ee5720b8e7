import { type Kysely, sql } from 'kysely';

/** A device, and the store it belongs to now. */
export interface DeviceAtStore {
  readonly deviceId: number;
  readonly companyId: number;
  readonly serial: string;
  readonly name: string;
  readonly storeId: number;
  readonly sid: string;
  readonly storeName: string;
}

/** The columns of a `DeviceAtStore`, of a statement with `joinStore`. */
export const deviceColumns = sql`device.id as "deviceId", device.company_id as "companyId", device.serial,
  device.name, store.id as "storeId", store.sid, store.name as "storeName"`;

/** Joins `store`, to which the row of `device` belongs now. */
export const joinStore = sql`
  cross join lateral (
    select store_id from device_assignment where device_id = device.id and since <= now()
    order by since desc limit 1
  ) current
  join store on store.id = current.store_id`;

/** The state of a device that alert conditions depend on. */
export interface DeviceInTrouble extends DeviceAtStore {
  /** Epoch ms of its last message, or of its registration if there was none. */
  readonly heardAt: number;
  /** Epoch ms of the arrival of its last heartbeat; null if there was none. */
  readonly heartbeatAt: number | null;
  /** The heartbeat as the unit sent it, unchecked. */
  readonly heartbeat: unknown;
}

/** Of which companies rows are read: those since `cutoff` (epoch ms), and those with a `known` alert. */
export interface Candidates {
  readonly companyIds: readonly number[];
  readonly cutoff: number;
  readonly known: readonly number[];
}

/**
 * The devices of companies that may need an alert: silent since `cutoff` (epoch ms), with a blocked beam or a storage
 * problem, or among `known`, which already have one. Retired devices are left out.
 */
export async function devicesInTrouble(
  db: Kysely<unknown>,
  { companyIds, cutoff, known }: Candidates,
): Promise<DeviceInTrouble[]> {
  const { rows } = await sql<DeviceInTrouble>`
    select ${deviceColumns},
      (extract(epoch from coalesce(last_activity_at, registered_at)) * 1000)::float8 as "heardAt",
      (extract(epoch from heartbeat_at) * 1000)::float8 as "heartbeatAt", heartbeat
    from device
    left join device_state on device_state.device_id = device.id
    ${joinStore}
    where device.company_id = any(${companyIds}) and device.retired_at is null and (
      coalesce(last_activity_at, registered_at) <= to_timestamp(${cutoff}::float8 / 1000)
      or heartbeat::text like '%"blocked"%'
      or heartbeat::text like '%"storage":%'
      or device.id = any(${known})
    )
    order by device.id`.execute(db);
  return rows;
}

/** A beam by its position at its door, counted from 1: the server has no other name for it. */
export interface BeamPosition {
  readonly deviceId: number;
  readonly position: number;
}

export interface BlockedBeam extends BeamPosition {
  /** Epoch ms of the arrival of the first heartbeat that reported it blocked. */
  readonly since: number;
}

/**
 * Records which beams are blocked now, and returns them with the instant since which they have been blocked, by the
 * server's clock. Clear beams are removed.
 */
export async function recordBlockedBeams(
  db: Kysely<unknown>,
  blocked: readonly BeamPosition[],
): Promise<BlockedBeam[]> {
  const values = JSON.stringify(blocked);
  await sql`
    delete from blocked_beam where not exists (
      select from json_to_recordset(${values}) as now_blocked ("deviceId" int, position int)
      where "deviceId" = device_id and now_blocked.position = blocked_beam.position
    )`.execute(db);
  if (blocked.length === 0) return [];
  await sql`
    insert into blocked_beam (device_id, position, since)
    select device_id, position, case when isfinite(heartbeat_at) then least(heartbeat_at, now()) else now() end
    from json_to_recordset(${values}) as now_blocked ("deviceId" int, position int)
    join device_state on device_id = "deviceId"
    order by device_id, position
    on conflict (device_id, position) do nothing`.execute(db);
  const { rows } = await sql<BlockedBeam>`
    select device_id as "deviceId", position, (extract(epoch from since) * 1000)::float8 as since
    from blocked_beam`.execute(db);
  return rows;
}

export interface FailingStorage {
  readonly deviceId: number;
  /** Epoch ms of the arrival of the first heartbeat that reported it. */
  readonly since: number;
}

/**
 * Records the devices whose units cannot store crossings now, and returns them with the instant of the first such
 * heartbeat, by the server's clock. Devices whose units can are removed.
 */
export async function recordFailingStorage(
  db: Kysely<unknown>,
  deviceIds: readonly number[],
): Promise<FailingStorage[]> {
  await sql`delete from failing_storage where device_id <> all(${deviceIds}::integer[])`.execute(db);
  if (deviceIds.length === 0) return [];
  await sql`
    insert into failing_storage (device_id, since)
    select device_id, case when isfinite(heartbeat_at) then least(heartbeat_at, now()) else now() end
    from device_state where device_id = any(${deviceIds}::integer[])
    order by device_id
    on conflict do nothing`.execute(db);
  const { rows } = await sql<FailingStorage>`
    select device_id as "deviceId", (extract(epoch from since) * 1000)::float8 as since
    from failing_storage`.execute(db);
  return rows;
}
