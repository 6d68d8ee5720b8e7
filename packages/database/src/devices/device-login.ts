import type { Pool } from 'pg';

/** A device that is connected to an external broker. */
export interface ExternalDevice {
  readonly id: number;
  /** The newest connection generation: a status with this generation decides whether the device is online. */
  readonly generation: bigint;
}

/**
 * The device with a serial number, exactly as written. All its connections to the external broker count as one, with
 * the generation that the device has: at least 1, since 0 means no connection. They belong to no gateway.
 */
export async function findExternalDevice(pool: Pool, serial: string): Promise<ExternalDevice | undefined> {
  const { rows } = await pool.query<{ device_id: number; connection_generation: string }>({
    name: 'find-external-device',
    text: `insert into device_state as state (device_id, connection_generation)
           select id, 1 from device where serial = $1
           on conflict (device_id) do update
             set connection_generation = greatest(state.connection_generation, 1), gateway_id = null
           returning device_id, connection_generation`,
    values: [serial],
  });
  const [row] = rows;
  return row && { id: row.device_id, generation: BigInt(row.connection_generation) };
}

/** What a login is checked against. */
export interface DeviceIdentity {
  readonly id: number;
  /** SHA-256 of the secret. */
  readonly secretHash: Buffer;
  /** The secret is no longer valid. */
  readonly revoked: boolean;
}

/**
 * The devices with these serial numbers, exactly as written; retired ones may still deliver their pending crossings.
 */
export async function findDeviceIdentities(
  pool: Pool,
  serials: readonly string[],
): Promise<ReadonlyMap<string, DeviceIdentity>> {
  const { rows } = await pool.query<{ id: number; serial: string; secret_hash: Buffer; revoked: boolean }>({
    name: 'find-device-identities',
    text: `select id, serial, secret_hash, secret_revoked_at is not null as revoked
           from device where serial = any($1::text[])`,
    values: [serials],
  });
  return new Map(
    rows.map(({ id, serial, secret_hash: secretHash, revoked }) => [serial, { id, secretHash, revoked }]),
  );
}

/**
 * Assigns a number to a new connection of a device to a gateway. The highest number is the newest connection, in
 * whichever process, and only that one can change whether the device is online. Until it does, the device is offline:
 * no process reports the end of a login that fails here.
 */
export async function nextConnectionGeneration(
  pool: Pool,
  deviceId: number,
  gatewayId: string,
): Promise<bigint> {
  const { rows } = await pool.query<{ connection_generation: string }>({
    name: 'next-connection-generation',
    text: `insert into device_state as state (device_id, connection_generation, gateway_id) values ($1, 1, $2)
           on conflict (device_id) do update set
             connection_generation = state.connection_generation + 1,
             gateway_id = excluded.gateway_id,
             online = false,
             online_changed_at = case when state.online then now() else state.online_changed_at end
           returning connection_generation`,
    values: [deviceId, gatewayId],
  });
  return BigInt(rows[0]?.connection_generation ?? 0);
}
