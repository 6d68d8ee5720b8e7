import type { ClientBase } from 'pg';
import { numberArray } from '../sql-arrays.ts';

/** A device and a day of UTC, in days since 1970. */
export interface DeviceDay {
  readonly deviceId: number;
  readonly day: number;
  /** Stored crossings with instants on this day. */
  readonly crossed: number;
  /** Crossings that were newly stored on this day. */
  readonly arrived: number;
}

/** What has been counted of devices, from day `since` on. */
export async function readDeviceDays(
  client: ClientBase,
  deviceIds: readonly number[],
  since: number,
): Promise<DeviceDay[]> {
  const { rows } = await client.query<{ device_id: number; day: number; crossed: string; arrived: string }>({
    name: 'read-device-days',
    text: `select device_id, day, crossed, arrived from device_day
           where device_id = any($1::integer[]) and day >= $2::integer`,
    values: [numberArray(deviceIds), since],
  });
  return rows.map(({ device_id, day, crossed, arrived }) => ({
    ...{ deviceId: device_id, day, crossed: Number(crossed), arrived: Number(arrived) },
  }));
}

/** Adds to what has been counted. Devices that are no longer in the database are left out. */
export async function addDeviceDays(client: ClientBase, more: readonly DeviceDay[]): Promise<void> {
  if (more.length === 0) return;
  await client.query({
    name: 'add-device-days',
    text: addStatement,
    values: [
      numberArray(more.map(({ deviceId }) => deviceId)),
      numberArray(more.map(({ day }) => day)),
      numberArray(more.map(({ crossed }) => crossed)),
      numberArray(more.map(({ arrived }) => arrived)),
    ],
  });
}

/** In the order of the key, as every writer of these rows. */
const addStatement = `
  insert into device_day as known (device_id, day, crossed, arrived)
  select device.id, day, crossed, arrived
  from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) as more (device_id, day, crossed, arrived)
  join device on device.id = more.device_id
  order by device.id, day
  on conflict (device_id, day) do update set
    crossed = known.crossed + excluded.crossed, arrived = known.arrived + excluded.arrived`;
