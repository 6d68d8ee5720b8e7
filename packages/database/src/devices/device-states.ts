import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { latestInstant } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** A change of a device's state; parts that are left out stay as they are. */
export interface DeviceStateChange {
  readonly deviceId: number;
  /** Epoch ms of its last message. */
  readonly activityAt?: number;
  /** `json` as `encodeHeartbeat` writes it. */
  readonly heartbeat?: { readonly at: number; readonly json: string };
  /** Answers to commands, at most `keptDiagnoses` of them, and one to each command. */
  readonly diagnoses?: readonly Diagnosis[];
  /** Reported by the connection with this generation. */
  readonly status?: { readonly online: boolean; readonly at: number; readonly generation: bigint };
}

/**
 * Writes changes of device states in one statement. Activity and heartbeats only move forward, unless the
 * stored instant is ahead of the database's clock. Only the newest connection of a device changes whether it
 * is online. So the order of writers does not matter. Devices that are no longer in the database are left
 * out. Diagnoses, which are rare, have a statement of their own.
 */
export async function writeDeviceStates(pool: Pool, changes: readonly DeviceStateChange[]): Promise<void> {
  if (changes.length === 0) return;
  await pool.query({
    name: 'write-device-states',
    text: statement,
    values: [
      changes.map(({ deviceId }) => deviceId),
      changes.map(({ activityAt }) => activityAt),
      changes.map(({ heartbeat }) => heartbeat?.at),
      changes.map(({ heartbeat }) => heartbeat?.json),
      changes.map(({ status }) => status?.generation.toString() ?? noGeneration),
      changes.map(({ status }) => status?.online ?? false),
      changes.map(({ status }) => status?.at),
    ],
  });
  const diagnoses = changes.flatMap(({ deviceId, diagnoses = [] }) =>
    diagnoses.map((diagnosis) => ({ deviceId, ...diagnosis })),
  );
  if (diagnoses.length > 0) await writeDiagnoses(pool, diagnoses);
}

/** No connection has this number: they begin with 1. */
const noGeneration = 0;

/** The stored value of a device, unless its instant is ahead, as after a server's clock was set back. */
const unlessAhead = (instant: string) => `case when ${instant} <= ${latestInstant} then ${instant} end`;

const isNewHeartbeat = `excluded.heartbeat_at >= coalesce(${unlessAhead('state.heartbeat_at')}, '-infinity')`;

/**
 * Ordered by key, as every writer of these rows does, so that two do not deadlock. What the heartbeats report about
 * commands is stored with them, until a command is finished.
 */
const statement = `
  with change as (
    select * from unnest(
      $1::integer[], $2::double precision[], $3::double precision[], $4::json[], $5::bigint[], $6::boolean[],
      $7::double precision[]
    ) as change (device_id, activity, heartbeat_at, heartbeat, generation, online, status_at)
  ),
  report as (
    select device_id, (report->>'id')::bigint as id, report->>'state' as state,
      (report->>'sent')::bigint as sent, (report->>'total')::bigint as total, report->>'problem' as problem,
      (report->'missing')::jsonb as missing
    from change cross join json_array_elements(change.heartbeat->'commands') as report
  ),
  reported_command as (
    update device_command as command
    set state = report.state, sent = report.sent, total = report.total, problem = report.problem,
      missing = report.missing,
      finished_at = case when report.state in ('done', 'failed') then now() end
    from report
    where command.id = report.id and command.device_id = report.device_id and command.finished_at is null
      and (command.state, command.sent, command.total) is distinct from (report.state, report.sent, report.total)
  )
  insert into device_state as state (
    device_id, last_activity_at, heartbeat_at, heartbeat, connection_generation, online, online_changed_at
  )
  select device.id, to_timestamp(activity / 1000), to_timestamp(heartbeat_at / 1000), heartbeat,
    generation, online, to_timestamp(status_at / 1000)
  from change
  join device on device.id = change.device_id
  order by device.id
  on conflict (device_id) do update set
    last_activity_at = coalesce(
      greatest(${unlessAhead('state.last_activity_at')}, excluded.last_activity_at), state.last_activity_at),
    heartbeat = case when ${isNewHeartbeat} then excluded.heartbeat else state.heartbeat end,
    heartbeat_at = case when ${isNewHeartbeat} then excluded.heartbeat_at else state.heartbeat_at end,
    online = case
      when excluded.connection_generation > 0
        and excluded.connection_generation = state.connection_generation then excluded.online
      else state.online end,
    online_changed_at = case
      when excluded.connection_generation > 0
        and excluded.connection_generation = state.connection_generation
        and excluded.online <> state.online then excluded.online_changed_at
      else state.online_changed_at end`;

/** A diagnosis that a unit sent. */
export interface StoredDiagnosis {
  /** The command that it answers. */
  readonly commandId: number;
  readonly receivedAt: number;
  /** As it is stored, unchecked. */
  readonly report: unknown;
}

/** The last diagnoses of a device, the newest first. */
export async function readDiagnoses(db: Kysely<DB>, deviceId: number): Promise<StoredDiagnosis[]> {
  const { rows } = await sql<StoredDiagnosis>`
    select command_id::float8 as "commandId", received_at as "receivedAt", report
    from device_diagnosis where device_id = ${deviceId} order by received_at desc`.execute(db);
  return rows;
}

/** A unit's answer to the command `diagnose` with the id `commandId`. */
interface Diagnosis {
  readonly commandId: number;
  /** JSON that PostgreSQL can read. */
  readonly json: string;
}

/** How many diagnoses are stored for one device, the latest ones. */
export const keptDiagnoses = 3;

/**
 * Writes diagnoses, at most `keptDiagnoses` of each device and one of each command, and removes the oldest beyond
 * `keptDiagnoses`. One that is sent again replaces the stored one. Devices that are no longer in the database are left out.
 */
async function writeDiagnoses(
  pool: Pool,
  diagnoses: readonly (Diagnosis & { readonly deviceId: number })[],
): Promise<void> {
  await pool.query({
    text: diagnosesStatement,
    values: [
      diagnoses.map(({ deviceId }) => deviceId),
      diagnoses.map(({ commandId }) => commandId),
      diagnoses.map(({ json }) => json),
      keptDiagnoses,
    ],
  });
}

const diagnosesStatement = `
  with arrived as (
    select arrived.* from unnest($1::integer[], $2::bigint[], $3::json[]) as arrived (device_id, command_id, report)
    join device on device.id = arrived.device_id
  ),
  removed as (
    delete from device_diagnosis as old using (
      select device_id, command_id, row_number() over (partition by device_id order by received_at desc) as place
      from device_diagnosis as known
      where exists (select from arrived where arrived.device_id = known.device_id)
        and (device_id, command_id) not in (select device_id, command_id from arrived)
    ) as others
    where (old.device_id, old.command_id) = (others.device_id, others.command_id)
      and place > $4 - (select count(*) from arrived where arrived.device_id = others.device_id)
  )
  insert into device_diagnosis (device_id, command_id, report)
  select device_id, command_id, report from arrived order by device_id
  on conflict (device_id, command_id) do update set report = excluded.report, received_at = now()`;
