import { randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Schema } from '../tables/schema.ts';
import { heartbeatField } from './heartbeat-fields.ts';

/**
 * A command without its id. A resend names crossings by their instants (epoch ms) or by their sequences in a journal,
 * both bounds included; `begin-journal` names the journal to end.
 */
export type UnitOrder =
  | { readonly command: 'identify' | 'restart' | 'diagnose' }
  | { readonly command: 'resend'; readonly from: number; readonly until: number }
  | { readonly command: 'resend'; readonly journal: string; readonly first: number; readonly last: number }
  | { readonly command: 'begin-journal'; readonly journal: string };

/** A stored command. */
export interface StoredCommand {
  readonly id: number;
  readonly command: unknown;
  readonly createdAt: Date;
  /** A unit that has not received it by then never receives it. */
  readonly expiresAt: Date;
  /** What the unit reports; `pending` until it has reported anything. */
  readonly state: 'pending' | 'running' | 'done' | 'failed';
  /** Of a resend: crossings sent so far, and how many there are to send. */
  readonly sent: number | null;
  readonly total: number | null;
  /** Why it failed. */
  readonly problem: string | null;
  /** Of a resend: ranges of sequences that the unit no longer has, `[[first, last], …]`. */
  readonly missing: unknown;
  /** When the server stored that it is done or failed; null until then. */
  readonly finishedAt: Date | null;
}

/** The settings and commands of a device, and what it reports about them. */
export interface UnitOrders {
  /** The latest settings, their revision, and when they were set; null if there are none. */
  readonly config: {
    readonly revision: number;
    readonly settings: unknown;
    readonly setAt: Date;
  } | null;
  /** The part `config` of the latest heartbeat: the revision that the unit has, or refused. */
  readonly answered: unknown;
  /** At most 20, newest first. */
  readonly commands: readonly StoredCommand[];
}

/**
 * A new id for a command or revision of settings, 1 to 2^48. Random, since a counter in the database repeats its
 * numbers after a restore, and a unit that has already executed the number would ignore the new command.
 */
function randomOrderId(): number {
  return randomInt(1, 2 ** 48);
}

/** Replaces all remote settings of a device; resolves with their revision, which is unique. */
export async function setDeviceConfig(
  db: Kysely<Schema>,
  deviceId: number,
  settings: object,
): Promise<number> {
  const revision = randomOrderId();
  const values = { revision, settings: JSON.stringify(settings) };
  await db
    .insertInto('device_config')
    .values({ device_id: deviceId, ...values })
    .onConflict((conflict) =>
      conflict.column('device_id').doUpdateSet({ ...values, set_at: sql<Date>`now()` }),
    )
    .execute();
  return revision;
}

/** Adds a command for a device, which receives it if it connects before `expiresAt`; resolves with its id. */
export async function addDeviceCommand(
  db: Kysely<Schema>,
  deviceId: number,
  command: UnitOrder,
  expiresAt: Date,
): Promise<number> {
  const id = randomOrderId();
  await db
    .insertInto('device_command')
    .values({ id, device_id: deviceId, command: JSON.stringify(command), expires_at: expiresAt })
    .execute();
  return id;
}

/** The settings of a device and its latest commands. */
export async function readUnitOrders(db: Kysely<Schema>, deviceId: number): Promise<UnitOrders> {
  const config = await db
    .selectFrom('device_config')
    .selectAll()
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  const heartbeat = await db
    .selectFrom('device_state')
    .select(sql<unknown>`${sql.raw(reportedConfig)}`.as('answered'))
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  return {
    config: config
      ? { revision: Number(config.revision), settings: config.settings, setAt: config.set_at }
      : null,
    answered: heartbeat?.answered ?? null,
    commands: await latestCommands(db, deviceId),
  };
}

async function latestCommands(db: Kysely<Schema>, deviceId: number): Promise<StoredCommand[]> {
  const rows = await db
    .selectFrom('device_command')
    .selectAll()
    .where('device_id', '=', deviceId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(20)
    .execute();
  return rows.map(
    ({ id, command, created_at, expires_at, state, sent, total, problem, missing, finished_at }) => ({
      ...{ id: Number(id), command, createdAt: created_at, expiresAt: expires_at, state, problem, missing },
      ...{ sent: sent === null ? null : Number(sent), total: total === null ? null : Number(total) },
      finishedAt: finished_at,
    }),
  );
}

/** The remote settings of a device, and whether its unit uses them. */
export interface FleetSettings {
  readonly deviceId: number;
  readonly state: 'in use' | 'open' | 'refused';
}

/** The newest command of a kind of a device. `open`: its unit has not reported it and may still receive it. */
export interface FleetCommand {
  readonly deviceId: number;
  readonly id: number;
  readonly command: string;
  readonly state: 'done' | 'running' | 'open' | 'failed' | 'expired';
  readonly problem: string | null;
}

/** The states of the settings of devices and of their newest command of each kind. */
export async function readFleetOrders(
  db: Kysely<Schema>,
  deviceIds: readonly number[],
): Promise<{ readonly settings: FleetSettings[]; readonly commands: FleetCommand[] }> {
  const settings = await sql<FleetSettings>`
    select config.device_id as "deviceId",
      case when ${sql.raw(reportedConfig)}->>'revision' is distinct from config.revision::text then 'open'
        when ${sql.raw(reportedConfig)}->>'problem' is null then 'in use' else 'refused' end as state
    from device_config as config left join device_state using (device_id)
    where config.device_id = any(${deviceIds}::integer[])
    order by config.device_id`.execute(db);
  const commands = await sql<FleetCommand>`
    select distinct on (device_id, command->>'command') device_id as "deviceId", id::float8 as id,
      command->>'command' as command, problem,
      case when state <> 'pending' then state when expires_at > now() then 'open' else 'expired' end as state
    from device_command
    where device_id = any(${deviceIds}::integer[])
    order by device_id, command->>'command', created_at desc, id`.execute(db);
  return { settings: settings.rows, commands: commands.rows };
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
 * The orders to send to the devices with these serial numbers: settings whose revision the latest heartbeat does not report, and unexpired,
 * unfinished commands that it does not report, the oldest first, at most `mostCommands` of each device. A command
 * that a unit has begun and no longer reports is sent again: such a unit has lost its memory.
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

const reportedConfig = heartbeatField('heartbeat', 'config');
const reportedCommands = heartbeatField('heartbeat', 'commands');
