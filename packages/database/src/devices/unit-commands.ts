import { randomInt } from 'node:crypto';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { heartbeatField } from '../sql/heartbeat-fields.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/**
 * A new id for a command or revision of settings, 1 to 2^48. Random, since a counter in the database repeats its
 * numbers after a restore, and a unit that has already executed the number would ignore the new command.
 */
function randomOrderId(): number {
  return randomInt(1, 2 ** 48);
}

/** Replaces all remote settings of a device; resolves with their revision, which is unique. */
export async function setDeviceConfig(db: Kysely<DB>, deviceId: number, settings: object): Promise<number> {
  const revision = randomOrderId();
  await sql`
    insert into device_config (device_id, revision, settings)
    values (${deviceId}, ${revision}, ${JSON.stringify(settings)})
    on conflict (device_id) do update set
      revision = excluded.revision, settings = excluded.settings, set_at = now()`.execute(db);
  return revision;
}

/**
 * Adds a command for a device, which receives it if it connects before `expiresAt`; resolves with its id. Removes the
 * commands of the device that ended or expired more than 90 days ago, except the latest `begin-journal` of each journal: it
 * shows that the journal has ended (`orderNewJournals`).
 */
export async function addDeviceCommand(
  db: Kysely<DB>,
  deviceId: number,
  command: UnitOrder,
  expiresAt: number,
): Promise<number> {
  const id = randomOrderId();
  await sql`
    with removed as (
      delete from device_command as old
      where device_id = ${deviceId} and coalesce(finished_at, expires_at) < now() - interval '90 days'
        and not exists (
          select from journal where device_id = ${deviceId} and order_id = old.id
        )
    )
    insert into device_command (id, device_id, command, expires_at)
    values (${id}, ${deviceId}, ${JSON.stringify(command)}, ${timestamp(expiresAt)})`.execute(db);
  return id;
}

/** How long a unit that is offline can still receive an automatic command (ms). */
const automaticLife = 24 * 60 * 60_000;

/** Adds a command that no operator has asked for; resolves with its id. */
export function addAutomaticCommand(db: Kysely<DB>, deviceId: number, command: UnitOrder): Promise<number> {
  return addDeviceCommand(db, deviceId, command, Date.now() + automaticLife);
}

/** Settings or a command that a device has not received yet, according to its heartbeats. */
export type OpenOrder =
  | {
      readonly serial: string;
      readonly kind: 'config';
      readonly id: number;
      readonly content: Readonly<Record<string, unknown>>;
    }
  | {
      readonly serial: string;
      readonly kind: 'command';
      readonly id: number;
      readonly content: UnitOrder;
    };

/**
 * The orders to send to the devices with these serial numbers: settings whose revision the latest heartbeat does not
 * report, and unexpired, unfinished commands that it does not report, the oldest first, at most `mostCommands` of each
 * device. A command that a unit has begun and no longer reports is sent again: such a unit has lost its memory.
 */
export async function findOpenOrders(
  pool: Pool,
  serials: readonly string[],
  mostCommands: number,
): Promise<OpenOrder[]> {
  const { rows } = await pool.query<OpenOrder>({
    name: 'find-open-orders',
    text: `with reported as (
             select device.id as device_id, serial, ${reportedConfig}->>'revision' as revision,
               case when json_typeof(${reportedCommands}) = 'array' then ${reportedCommands} else '[]' end
                 as commands
             from unnest($1::text[]) as connected (serial)
             join device using (serial)
             left join device_state on device_state.device_id = device.id
           )
           select serial, 'config' as kind, config.revision::float8 as id,
             settings as content
           from reported join device_config as config using (device_id)
           where config.revision::text is distinct from reported.revision
           union all
           select serial, 'command', command.id::float8, command.command
           from reported cross join lateral (
             select id, command from device_command
             where device_id = reported.device_id and finished_at is null and expires_at > now()
               and not exists (
                 select from json_array_elements(reported.commands) as report where report->>'id' = id::text
               )
             order by created_at, id
             limit $2
           ) as command`,
    values: [serials, mostCommands],
  });
  return rows;
}

/** The part `config` of the latest heartbeat: the revision that the unit has, or refused. */
export const reportedConfig = heartbeatField('heartbeat', 'config');
const reportedCommands = heartbeatField('heartbeat', 'commands');
