import { randomInt } from 'node:crypto';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { type Selectable, sql } from 'kysely';
import { type Db, instant, runStatement } from '../sql/query-builder.ts';
import type { DeviceCommand } from '../sql/schema.ts';

/**
 * A new id for a command or revision of settings, 1 to 2^48. Random, since a counter in the database repeats its
 * numbers after a restore, and a unit that has already executed the number would ignore the new command.
 */
function randomOrderId(): number {
  return randomInt(1, 2 ** 48);
}

/** Replaces all remote settings of a device; resolves with their revision, which is unique. */
export async function setDeviceConfig(db: Db, deviceId: number, settings: object): Promise<number> {
  const settingsRevision = randomOrderId();
  await db
    .updateTable('device')
    .set({ settings, settingsRevision, settingsSetAt: sql<number>`now()` })
    .where('id', '=', deviceId)
    .execute();
  return settingsRevision;
}

/**
 * Adds a command for a device, which receives it if it connects before `expiresAt`; resolves with its id. Removes the
 * commands of the device that ended or expired more than 90 days ago.
 */
export async function addDeviceCommand(
  db: Db,
  deviceId: number,
  command: UnitOrder,
  expiresAt: number,
): Promise<number> {
  const id = randomOrderId();
  await db
    .with('removed', (cte) =>
      cte
        .deleteFrom('deviceCommand as old')
        .where('deviceId', '=', deviceId)
        .where((eb) =>
          eb(eb.fn.coalesce('finishedAt', 'expiresAt'), '<', sql<number>`now() - interval '90 days'`),
        ),
    )
    .insertInto('deviceCommand')
    .values({ id, deviceId, command, expiresAt: instant(expiresAt) })
    .execute();
  return id;
}

/** How long a unit that is offline can still receive an automatic command (ms). */
const automaticLife = 24 * 60 * 60_000;

/** Adds a command that no operator has asked for; resolves with its id. */
export function addAutomaticCommand(db: Db, deviceId: number, command: UnitOrder): Promise<number> {
  return addDeviceCommand(db, deviceId, command, Date.now() + automaticLife);
}

/** Settings or a command that a device has not received yet, according to its heartbeats. */
export type OpenOrder = { readonly serial: string; readonly id: number } & (
  | { readonly kind: 'config'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly kind: 'command'; readonly content: UnitOrder }
);

/** The part `config` of the latest heartbeat: the revision that the unit has, or refused. */
const reportedConfig = `(heartbeat->'config')`;

/**
 * The orders to send to the devices with these serial numbers: settings whose revision the latest heartbeat does not
 * report, and unexpired, unfinished commands that it does not report, the oldest first, at most `mostCommands` of each
 * device. A command that a unit has begun and no longer reports is sent again: such a unit has lost its memory.
 */
export async function findOpenOrders(
  db: Db,
  serials: readonly string[],
  mostCommands: number,
): Promise<OpenOrder[]> {
  return await runStatement<OpenOrder>(db, openOrders, [serials, mostCommands]);
}

const openOrders = `
  with reported as (
    select device.id as device_id, serial, settings, settings_revision, ${reportedConfig}->>'revision' as revision,
      heartbeat->'commands' as commands
    from device left join device_state on device_state.device_id = device.id
    where serial = any($1)
  )
  select serial, 'config' as kind, settings_revision as id, settings as content
  from reported where settings_revision::text <> coalesce(revision, '')
  union all
  select serial, 'command', command.id, command.command
  from reported cross join lateral (
    select id, command from device_command
    where device_id = reported.device_id and finished_at is null and expires_at > now()
      and (reported.commands @> jsonb_build_array(jsonb_build_object('id', id))) is not true
    order by created_at, id
    limit $2
  ) as command`;

/**
 * A stored command, with what the unit reports. `expiresAt`: a unit that has not received it by then never receives it.
 */
export type StoredCommand = Omit<Selectable<DeviceCommand>, 'deviceId' | 'report' | 'reportedAt'>;

/** The settings and commands of a device, and what it reports about them. */
export type UnitOrders = Awaited<ReturnType<typeof readUnitOrders>>;

/** The settings of a device, null if there are none, the answer of its unit, and its latest commands, newest first. */
export async function readUnitOrders(db: Db, deviceId: number) {
  const device = await db
    .selectFrom('device')
    .leftJoin('deviceState', 'deviceState.deviceId', 'device.id')
    .select([
      'settings',
      'settingsRevision as revision',
      'settingsSetAt as setAt',
      sql.raw<unknown>(reportedConfig).as('answered'),
    ])
    .where('device.id', '=', deviceId)
    .executeTakeFirst();
  const { answered = null, revision = null, setAt = null, settings } = device ?? {};
  const commands: StoredCommand[] = await db
    .selectFrom('deviceCommand')
    .select(['id', 'command', 'createdAt', 'expiresAt', 'state'])
    .select(['problem', 'finishedAt'])
    .where('deviceId', '=', deviceId)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(20)
    .execute();
  const config = revision === null || setAt === null ? null : { revision, settings, setAt };
  return { config, answered, commands };
}
