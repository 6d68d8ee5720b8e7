import { type Kysely, sql } from 'kysely';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { joinCurrentStore } from '../stores/stores.ts';

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
export const joinStore = sql`${joinCurrentStore()} join store on store.id = current.store_id`;

/** The state of a device that alert conditions depend on. */
export interface DeviceInTrouble extends DeviceAtStore {
  /** Epoch ms of its last message, or of its registration if there was none. */
  readonly lastActivityAt: number;
  /** Epoch ms of the arrival of its last heartbeat; null if there was none. */
  readonly heartbeatAt: number | null;
  /** The heartbeat as the unit sent it, unchecked. */
  readonly heartbeat: unknown;
}

/** Which devices or stores of companies to read: those concerned since `cutoff` (epoch ms), and those with an alert. */
export interface Candidates {
  readonly companyIds: readonly number[];
  readonly cutoff: number;
  /** The ids of those that have an alert. */
  readonly known: readonly number[];
}

/**
 * The devices of companies that may need an alert: silent since `cutoff` (epoch ms), with a blocked beam or a storage
 * problem, or among `known`, which already have one. Retired devices are left out.
 */
export async function devicesInTrouble(
  db: Kysely<DB>,
  { companyIds, cutoff, known }: Candidates,
): Promise<DeviceInTrouble[]> {
  const { rows } = await sql<DeviceInTrouble>`
    select ${deviceColumns},
      ${epochMs('coalesce(last_activity_at, registered_at)')} as "lastActivityAt",
      ${epochMs('heartbeat_at')} as "heartbeatAt", heartbeat
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

/** What the last heartbeat of a device reports. A beam has its position at the door as name, since the server has no other. */
export interface Trouble {
  readonly deviceId: number;
  readonly trouble: 'beam 1' | 'beam 2' | 'storage';
}

interface LastingTrouble extends Trouble {
  /** Epoch ms of the arrival of the first heartbeat that reported it. */
  readonly since: number;
}

/**
 * Records the troubles that devices report now, and returns them with the instant since which they are reported, by the
 * server's clock. Troubles that are over are removed.
 */
export async function recordTroubles(
  db: Kysely<DB>,
  troubles: readonly Trouble[],
): Promise<LastingTrouble[]> {
  const reported = sql`json_to_recordset(${JSON.stringify(troubles)}) as reported ("deviceId" int, trouble text)`;
  await sql`
    delete from device_trouble known where not exists (
      select from ${reported} where "deviceId" = device_id and reported.trouble = known.trouble
    )`.execute(db);
  await sql`
    insert into device_trouble (device_id, trouble, since)
    select device_id, trouble, case when isfinite(heartbeat_at) then least(heartbeat_at, now()) else now() end
    from ${reported} join device_state on device_id = "deviceId"
    order by device_id, trouble
    on conflict (device_id, trouble) do nothing`.execute(db);
  const { rows } = await sql<LastingTrouble>`
    select device_id as "deviceId", trouble, ${epochMs('since')} as since
    from device_trouble`.execute(db);
  return rows;
}

/** A device that exceeds its limits. */
interface DeviceOverLimits extends DeviceAtStore {
  /** When that began (epoch ms). */
  readonly since: number;
}

/**
 * The devices of companies that exceed their limits, one row per device: they have rejected messages because of a limit, or
 * have sent more than their rate allows within the last quarter of an hour.
 */
export async function devicesOverLimits(
  db: Kysely<DB>,
  companyIds: readonly number[],
): Promise<DeviceOverLimits[]> {
  const { rows } = await sql<DeviceOverLimits>`
    select ${deviceColumns},
      ${epochMs('exceeded.since')} as since
    from device
    cross join lateral (
      select least(
        (select min(received_at) from rejected_message where device_id = device.id and reason like 'limit:%'),
        (select rate_exceeded_since from device_state
          where device_id = device.id and rate_exceeded_at > now() - interval '15 minutes')
      ) as since
    ) exceeded
    ${joinStore}
    where device.company_id = any(${companyIds}) and exceeded.since is not null
    order by device.id`.execute(db);
  return rows;
}

export const gapKinds = ['crossings-missing', 'crossings-lost', 'cloned-unit', 'direction-doubtful'] as const;

/**
 * A device with missing crossings, or one that may count in the wrong direction; `since` (epoch ms) is when that was
 * found.
 */
interface DeviceWithGap extends DeviceOverLimits {
  readonly kind: (typeof gapKinds)[number];
  /**
   * How many crossings are missing or lost; of a cloned unit, how many messages were rejected because of it;
   * otherwise 0.
   */
  readonly count: number;
}

/**
 * Devices of companies for which one of these is true: crossings are missing; crossings were found to be lost
 * within the last day; two units write their journal (for a day after the last conflict, and while there are
 * rejected messages with conflicting crossings); they may count in the wrong direction.
 */
export async function devicesWithGaps(
  db: Kysely<DB>,
  companyIds: readonly number[],
): Promise<DeviceWithGap[]> {
  const { rows } = await sql<DeviceWithGap>`
    select gap.kind, ${deviceColumns}, gap.count::float8 as count,
      ${epochMs('gap.since')} as since
    from (
      select 'crossings-missing' as kind, device_id, sum(count_sequences(missing)) as count, min(missing_since) as since
      from journal where missing_since is not null group by device_id
      union all
      select 'crossings-lost', device_id, sum(lost_lately), min(lost_at)
      from journal where lost_at > now() - interval '1 day' group by device_id
      union all
      select 'cloned-unit', device_id, max(number), min(conflict_since)
      from journal cross join lateral (
        select count(*) as number from rejected_message
        where rejected_message.device_id = journal.device_id and starts_with(reason, 'conflict')
      ) conflicts
      where conflict_at is not null and (number > 0 or conflict_at > now() - interval '1 day') group by device_id
      union all
      select 'direction-doubtful', device_id, 0, since from doubtful_direction
    ) gap
    join device on device.id = gap.device_id
    ${joinStore}
    where device.company_id = any(${companyIds}) and device.retired_at is null
    order by device.id, gap.kind`.execute(db);
  return rows;
}
