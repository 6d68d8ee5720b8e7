import type { Pool } from 'pg';
import { latestInstant } from '../sql/instant.ts';
import { type Diagnosis, writeDiagnoses } from './diagnoses.ts';

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
 * Writes changes of device states in one statement. Activity and heartbeats only move forward, except from an instant
 * ahead of the database's clock, and only the device's newest connection changes whether it is online, so that the order
 * of writers does not matter. Devices that are no longer in the database are left out. Diagnoses, which are rare, have a
 * statement of their own.
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

/** What is stored of a device unless its instant is ahead, as after a server's clock was set back. */
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
