import { type Db, runStatement } from '../sql/query-builder.ts';

/** A change of a device's state; parts that are left out stay as they are. */
export interface DeviceStateChange {
  readonly deviceId: number;
  /** Epoch ms of its last message. */
  readonly activityAt?: number;
  /** `json` as `encodeHeartbeat` writes it. */
  readonly heartbeat?: { readonly at: number; readonly json: string };
  /** Answers to commands, at most `keptDiagnoses` of them, and one to each command. */
  readonly diagnoses?: readonly Diagnosis[];
  readonly status?: { readonly online: boolean; readonly at: number };
}

/**
 * Writes changes of device states in one statement. Activity and heartbeats only move forward, unless the
 * stored instant is ahead of the database's clock. Only the gateway of the newest connection of a device changes whether
 * it is online. So the order of gateways does not matter. Devices that are no longer in the database are left
 * out. Diagnoses, which are rare, have a statement of their own.
 */
export async function writeDeviceStates(
  db: Db,
  gatewayId: string,
  changes: readonly DeviceStateChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await runStatement(db, statement, [
    changes.map(({ deviceId }) => deviceId),
    changes.map(({ activityAt }) => activityAt),
    changes.map(({ heartbeat }) => heartbeat?.at),
    changes.map(({ heartbeat }) => heartbeat?.json),
    changes.map(({ status }) => status?.online ?? false),
    changes.map(({ status }) => status?.at),
    gatewayId,
  ]);
  const diagnoses = changes.flatMap(({ deviceId, diagnoses = [] }) =>
    diagnoses.map((diagnosis) => ({ deviceId, ...diagnosis })),
  );
  if (diagnoses.length > 0) await writeDiagnoses(db, diagnoses);
}

/**
 * SQL for the latest instant that a program can have written as the present, however its clock differs from the
 * database's. A later one was written before a clock was set back, and is no longer valid.
 */
const latestInstant = `now() + interval '1 minute'`;

/** The stored value of a device, unless its instant is ahead, as after a server's clock was set back. */
const unlessAhead = (instant: string) => `case when ${instant} <= ${latestInstant} then ${instant} end`;

const isNewHeartbeat = `excluded.heartbeat_at >= coalesce(${unlessAhead('state.heartbeat_at')}, '-infinity')`;

/**
 * Ordered by key, as every writer of these rows does, so that two do not deadlock. What the heartbeats report about
 * commands is stored with them, until a command is finished. A change without a status has no gateway.
 */
const statement = `
  with change as (
    select * from unnest(
      $1::integer[], $2::float8[], $3::float8[], $4::jsonb[], $5::boolean[], $6::float8[]
    ) as change (device_id, activity, heartbeat_at, heartbeat, online, status_at)
  ),
  report as (
    select device_id, (report->>'id')::bigint as id, report->>'state' as state,
      report->>'problem' as problem
    from change cross join jsonb_array_elements(change.heartbeat->'commands') as report
  ),
  reported_command as (
    update device_command as command
    set state = report.state, problem = report.problem,
      finished_at = case when report.state in ('done', 'failed') then now() end
    from report
    where command.id = report.id and command.device_id = report.device_id and command.finished_at is null
      and command.state <> report.state
  )
  insert into device_state as state (
    device_id, last_activity_at, heartbeat_at, heartbeat, gateway_id, online, online_changed_at
  )
  select device.id, to_timestamp(activity / 1000), to_timestamp(heartbeat_at / 1000), heartbeat,
    case when status_at is not null then $7::uuid end, online, to_timestamp(status_at / 1000)
  from change
  join device on device.id = change.device_id
  order by device.id
  on conflict (device_id) do update set
    last_activity_at = coalesce(
      greatest(${unlessAhead('state.last_activity_at')}, excluded.last_activity_at), state.last_activity_at),
    heartbeat = case when ${isNewHeartbeat} then excluded.heartbeat else state.heartbeat end,
    heartbeat_at = case when ${isNewHeartbeat} then excluded.heartbeat_at else state.heartbeat_at end,
    online = case when excluded.gateway_id = state.gateway_id then excluded.online else state.online end,
    online_changed_at = case
      when excluded.gateway_id = state.gateway_id and excluded.online <> state.online then excluded.online_changed_at
      else state.online_changed_at end`;

/** A unit's answer to the command `diagnose` with the id `commandId`. */
interface Diagnosis {
  readonly commandId: number;
  /** JSON that PostgreSQL can read. */
  readonly json: string;
}

/** How many diagnoses of a device are collected until they are written: operators see the last three. */
export const keptDiagnoses = 3;

/** Writes diagnoses to the commands that they answer; one that is sent again replaces the stored one. */
async function writeDiagnoses(
  db: Db,
  diagnoses: readonly (Diagnosis & { readonly deviceId: number })[],
): Promise<void> {
  await runStatement(db, diagnosesStatement, [
    diagnoses.map(({ deviceId }) => deviceId),
    diagnoses.map(({ commandId }) => commandId),
    diagnoses.map(({ json }) => json),
  ]);
}

const diagnosesStatement = `
  update device_command command set report = arrived.report, reported_at = now()
  from unnest($1::integer[], $2::bigint[], $3::json[]) as arrived (device_id, id, report)
  where command.id = arrived.id and command.device_id = arrived.device_id`;

/** The last three answers of a unit to the command `diagnose`, as they are stored, unchecked; the newest first. */
export async function readDiagnoses(db: Db, deviceId: number) {
  return await db
    .selectFrom('deviceCommand')
    .select(['id as commandId', 'reportedAt as receivedAt', 'report'])
    .where('deviceId', '=', deviceId)
    .where('reportedAt', 'is not', null)
    .$narrowType<{ receivedAt: number }>()
    .orderBy('reportedAt', 'desc')
    .limit(3)
    .execute();
}

export type StoredDiagnosis = Awaited<ReturnType<typeof readDiagnoses>>[number];

/** Records that a device sends more than its rate allows; repeated while it continues. */
export async function recordExceededRate(db: Db, deviceId: number): Promise<void> {
  await runStatement(db, rateStatement, [deviceId]);
}

/** SQL for a row of `device_state`: the device has sent more than its rate allows lately. */
export const isRateExceeded = `rate_exceeded_at > now() - interval '15 minutes'`;

const rateStatement = `
  update device_state set rate_exceeded_at = now(),
    rate_exceeded_since = case when ${isRateExceeded} then rate_exceeded_since else now() end
  where device_id = $1`;
