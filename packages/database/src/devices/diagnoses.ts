import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';

/** A diagnosis that a unit sent. */
export interface StoredDiagnosis {
  /** The command that it answers. */
  readonly commandId: number;
  readonly receivedAt: Date;
  /** As it is stored, unchecked. */
  readonly report: unknown;
}

/** The last diagnoses of a device, the newest first. */
export async function readDiagnoses(db: Kysely<unknown>, deviceId: number): Promise<StoredDiagnosis[]> {
  const { rows } = await sql<StoredDiagnosis>`
    select command_id::float8 as "commandId", received_at as "receivedAt", report
    from device_diagnosis where device_id = ${deviceId} order by received_at desc`.execute(db);
  return rows;
}

/** A unit's answer to the command `diagnose` with the id `commandId`. */
export interface Diagnosis {
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
export async function writeDiagnoses(
  pool: Pool,
  diagnoses: readonly (Diagnosis & { readonly deviceId: number })[],
): Promise<void> {
  await pool.query({
    text: statement,
    values: [
      diagnoses.map(({ deviceId }) => deviceId),
      diagnoses.map(({ commandId }) => commandId),
      diagnoses.map(({ json }) => json),
      keptDiagnoses,
    ],
  });
}

const statement = `
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
