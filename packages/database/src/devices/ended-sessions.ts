import type { Pool } from 'pg';

/** A connection of a device, as the gateway that has it knows it. */
export interface HeldSession {
  readonly deviceId: number;
  readonly generation: bigint;
  /** SHA-256 of the secret it has logged in with. */
  readonly secretHash: Buffer;
}

/**
 * Which of these connections must end: those of devices that have a newer connection, have another secret or a
 * revoked one, or do not exist, and those that a restored database does not contain. Returns their indexes.
 */
export async function findEndedSessions(pool: Pool, sessions: readonly HeldSession[]): Promise<number[]> {
  const { rows } = await pool.query<{ index: number }>({
    name: 'find-ended-sessions',
    text: `select held.position::integer - 1 as index
           from unnest($1::integer[], $2::bigint[], $3::bytea[])
             with ordinality as held (device_id, generation, secret_hash, position)
           left join device on device.id = held.device_id
           left join device_state as state on state.device_id = held.device_id
           where device.secret_hash is distinct from held.secret_hash
             or device.secret_revoked_at is not null
             or state.connection_generation is distinct from held.generation`,
    values: [
      sessions.map(({ deviceId }) => deviceId),
      sessions.map(({ generation }) => generation.toString()),
      sessions.map(({ secretHash }) => secretHash),
    ],
  });
  return rows.map(({ index }) => index);
}
