import type { Pool } from 'pg';

/** A device whose connection another broker holds. */
export interface DeviceBehindBroker {
  readonly id: number;
  /** The newest connection generation: what is told under it decides whether the device is online. */
  readonly generation: bigint;
}

/**
 * The device with a serial number, exactly as written. All its connections to the other broker count as
 * one, under the generation that it has: at least 1, since 0 stands for no connection. No gateway holds them.
 */
export async function findDeviceBehindBroker(
  pool: Pool,
  serial: string,
): Promise<DeviceBehindBroker | undefined> {
  const { rows } = await pool.query<{ device_id: number; connection_generation: string }>({
    name: 'find-device-behind-broker',
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
