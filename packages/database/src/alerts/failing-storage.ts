import { type Kysely, sql } from 'kysely';
import type { Schema } from '../tables/schema.ts';

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
  db: Kysely<Schema>,
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
