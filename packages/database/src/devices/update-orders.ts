import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { sql } from 'kysely';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import { anyOf, type Db, instant, type Transaction } from '../sql/query-builder.ts';

/** Sets the version of the agent that units should have; null: they stay as they are. */
export async function setTargetVersion(
  trx: Db,
  deviceIds: readonly number[],
  targetVersion: string | null,
): Promise<void> {
  await trx.updateTable('device').set({ targetVersion }).where('id', '=', anyOf(deviceIds)).execute();
}

/** An order to a unit; `version` is null if it installs Debian's security updates only. */
interface UpdateOrder {
  readonly serial: string;
  readonly version: string | null;
}

/** Units are updated at night, from the first of these hours to before the other one, in the zone of their store. */
const night = { from: 1, until: 5 };

/**
 * Orders updates from connected units in stores where it is night at `now` (epoch ms), each once a night. A unit whose
 * version is not its target gets its target, unless it has already gone back from that version.
 */
export async function orderNightlyUpdates(db: Db, now = Date.now()): Promise<UpdateOrder[]> {
  const stores = await db.selectFrom('store').select(['id', 'timeZone']).execute();
  const atNight = stores.filter(({ timeZone }) => {
    const hour = Number(zonedFormatter(timeZone)(now).slice(11, 13));
    return hour >= night.from && hour < night.until;
  });
  if (atNight.length === 0) return [];
  const due = sql<boolean>`store_id = ${anyOf(atNight.map(({ id }) => id))}
    and coalesce(ordered_at < ${instant(now)} - interval '6 hours', true)`;
  return await db.transaction().execute((trx) => orderUpdates(trx, due, now));
}

/** Orders updates from these units, if they are connected, at any time of the day; of each store from one unit an hour. */
export async function orderUpdatesNow(
  trx: Transaction,
  deviceIds: readonly number[],
): Promise<UpdateOrder[]> {
  return await orderUpdates(trx, sql<boolean>`id = ${anyOf(deviceIds)}`, Date.now());
}

/** How many units one call orders an update from. */
const most = 500;

/**
 * Orders updates from the units that `due` selects. Two units of one store are never updated in the same hour: the next order
 * follows an hour after the unit has reported the one before, or could receive it last. Those with another target come
 * first, then those whose last order is the oldest. Removes the orders of these units that ended a week ago.
 */
async function orderUpdates(trx: Transaction, due: typeof isUpdate, now: number): Promise<UpdateOrder[]> {
  await takeLock(trx, lockKeys.updates);
  const { rows } = await sql<UpdateOrder>`
    with unit as (
      select device.id, serial, current.store_id, ordered.at as ordered_at,
        max(ordered.until) over (partition by current.store_id) as busy_until,
        connection.online and retired_at is null as is_connected,
        case when target_version <> coalesce(heartbeat->>'version', '')
          and not coalesce(heartbeat->'update' @> jsonb_build_object('version', target_version, 'result', 'rolled back'), false)
          then target_version end as version
      from device
      join device_state state on state.device_id = device.id
      join device_connection connection on connection.device_id = device.id
      cross join lateral store_at(device.id, ${instant(now)}) as current
      cross join lateral (
        select max(created_at) as at, max(coalesce(finished_at, expires_at)) as until
        from device_command where device_id = device.id and ${isUpdate}
      ) ordered
    ), due as (
      select distinct on (store_id) id, serial, version from unit
      where is_connected and coalesce(busy_until <= ${instant(now)} - interval '1 hour', true) and ${due}
      order by store_id, version is null, ordered_at nulls first, id limit ${most}
    ), removed as (
      delete from device_command using due
      where device_id = due.id and ${isUpdate}
        and coalesce(finished_at, expires_at) < ${instant(now)} - interval '7 days'
    ), ordered as (
      insert into device_command (id, device_id, command, created_at, expires_at)
      select 1 + floor(random() * 2 ^ 48 - 1), id, jsonb_build_object('command', 'update', 'version', version),
        ${instant(now)}, ${instant(now)} + interval '1 hour'
      from due
    )
    select serial, version from due order by serial`.execute(trx);
  return rows;
}

const isUpdate = sql<boolean>`command->>'command' = 'update'`;
