import { type Kysely, sql } from 'kysely';
import { heartbeatInteger, heartbeatText } from '../sql/heartbeat-fields.ts';
import { epochMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { type DeviceAtStore, deviceColumns, joinStore } from './devices-in-trouble.ts';

/** The free space below which the disks of a company's units count as nearly full: the larger of both. */
interface CompanyDiskLimit {
  readonly companyId: number;
  /** Bytes. */
  readonly bytes: number;
  /** Percent of the disk's size, if the unit reports that. */
  readonly percent: number;
}

interface DeviceWithLowDisk extends DeviceAtStore {
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
  db: Kysely<DB>,
  limits: readonly CompanyDiskLimit[],
): Promise<DeviceWithLowDisk[]> {
  if (limits.length === 0) return [];
  const { rows } = await sql<DeviceWithLowDisk>`
    select ${deviceColumns},
      free::float8 as "diskFree", lowest.bytes as "limit"
    from json_to_recordset(${JSON.stringify(limits)}) as rule ("companyId" int, bytes float8, percent float8)
    join device on device.company_id = rule."companyId" and device.retired_at is null
    join device_state on device_state.device_id = device.id and heartbeat_at is not null
    cross join lateral (select ${fields.free} as free, ${fields.size} as size) reported
    cross join lateral (
      select greatest(rule.bytes, coalesce(size, 0) * rule.percent / 100) as bytes
    ) lowest
    ${joinStore}
    where free < lowest.bytes * 1.1
    order by device.id`.execute(db);
  return rows;
}

const fields = {
  free: sql.raw(heartbeatInteger('heartbeat', 'diskFree')),
  size: sql.raw(heartbeatInteger('heartbeat', 'diskSize')),
};

/** A version that units of a company report. */
export interface AgentVersion {
  readonly companyId: number;
  /** Three numbers: `x.y.z`. */
  readonly version: string;
  /** Since when a unit of the company has had it without interruption, by the server's clock (epoch ms). */
  readonly since: number;
}

/** A version that is too old for a company, and the oldest version that is not. */
export interface OldVersion {
  readonly companyId: number;
  readonly version: string;
  readonly expected: string;
}

interface DeviceWithOldVersion extends OldVersion, DeviceAtStore {}

const version = sql.raw(heartbeatText('heartbeat', 'version'));

/** The versions that the units of companies report, retired ones left out; `isVersion` in SQL. */
const reported = (companyIds: readonly number[]) => sql`
  select device.id, company_id, ${version} as version
  from device join device_state on device_state.device_id = device.id
  where company_id = any(${companyIds}::integer[]) and retired_at is null and heartbeat_at is not null
    and ${version} ~ '^[0-9]{1,5}([.][0-9]{1,5}){2}$'`;

/** Records which versions the units of companies report now, and deletes those that no unit reports. */
export async function recordAgentVersions(
  db: Kysely<DB>,
  companyIds: readonly number[],
): Promise<AgentVersion[]> {
  const { rows } = await sql<AgentVersion>`
    with present as (select distinct company_id, version from (${reported(companyIds)}) as reported),
    gone as (
      delete from agent_version where not exists (
        select from present
        where present.company_id = agent_version.company_id and present.version = agent_version.version
      )
    ),
    arrived as (
      insert into agent_version (company_id, version)
      select company_id, version from present
      where not exists (
        select from agent_version as known
        where known.company_id = present.company_id and known.version = present.version
      )
      order by company_id, version
      on conflict do nothing
    )
    select company_id as "companyId", version,
      ${epochMs('coalesce(known.since, now())')} as since
    from present left join agent_version as known using (company_id, version)`.execute(db);
  return rows;
}

/** The devices that report one of these versions of their company. */
export async function devicesWithOldVersion(
  db: Kysely<DB>,
  old: readonly OldVersion[],
): Promise<DeviceWithOldVersion[]> {
  if (old.length === 0) return [];
  const companyIds = [...new Set(old.map(({ companyId }) => companyId))];
  const { rows } = await sql<DeviceWithOldVersion>`
    select ${deviceColumns}, old.version, old.expected
    from (${reported(companyIds)}) as reported
    join json_to_recordset(${JSON.stringify(old)}) as old ("companyId" int, version text, expected text)
      on old."companyId" = reported.company_id and old.version = reported.version
    join device on device.id = reported.id
    ${joinStore}
    order by device.id`.execute(db);
  return rows;
}
