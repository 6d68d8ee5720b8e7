import type { ClientBase } from 'pg';
import { numberArray, numberColumns } from '../../sql/arrays.ts';
import { arrivalDays } from './count-limits.ts';

/** A device and a day of UTC, in days since 1970. */
export interface DeviceDay {
  readonly deviceId: number;
  readonly day: number;
  /** Stored crossings with instants on this day. */
  readonly crossed: number;
  /** Crossings that were newly stored on this day. */
  readonly arrived: number;
}

/** Counts of a device: crossings of the day with most crossings, and arrivals of the last 30 days. */
interface CountedDevice {
  readonly deviceId: number;
  readonly most: number;
  readonly arrived: number;
}

/** The counts of devices on the day `today`; devices without any are left out. */
export async function countDevices(
  client: ClientBase,
  deviceIds: readonly number[],
  today: number,
): Promise<CountedDevice[]> {
  const { rows } = await client.query<{ device_id: number; most: string; arrived: string }>({
    name: 'count-devices',
    text: `select device_id, max(crossed) as most,
             coalesce(sum(arrived) filter (where day > $2::integer - ${arrivalDays} and day <= $2), 0) as arrived
           from device_day where device_id = any($1::integer[]) group by device_id`,
    values: [numberArray(deviceIds), today],
  });
  return rows.map(({ device_id, most, arrived }) => ({
    deviceId: device_id,
    most: Number(most),
    arrived: Number(arrived),
  }));
}

/** How many stored crossings of a device have instants on each of some days; days without any may be left out. */
export async function crossedOnDays(
  client: ClientBase,
  deviceId: number,
  days: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ day: number; crossed: string }>({
    name: 'crossed-on-days',
    text: 'select day, crossed from device_day where device_id = $1::integer and day = any($2::integer[])',
    values: [deviceId, numberArray(days)],
  });
  return new Map(rows.map(({ day, crossed }) => [day, Number(crossed)]));
}

/** Adds to the counts. Devices that are no longer in the database are left out. */
export async function addDeviceDays(client: ClientBase, more: readonly DeviceDay[]): Promise<void> {
  if (more.length === 0) return;
  await client.query({
    name: 'add-device-days',
    text: addStatement,
    values: numberColumns(more, 'deviceId', 'day', 'crossed', 'arrived'),
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
