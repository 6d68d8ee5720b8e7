import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

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
  db: Kysely<Schema>,
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
