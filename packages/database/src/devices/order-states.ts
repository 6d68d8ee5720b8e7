import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';
import { reportedConfig } from './unit-commands.ts';

/** A stored command. */
export interface StoredCommand {
  readonly id: number;
  readonly command: unknown;
  readonly createdAt: number;
  /** A unit that has not received it by then never receives it. */
  readonly expiresAt: number;
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
  readonly finishedAt: number | null;
}

/** The settings and commands of a device, and what it reports about them. */
export interface UnitOrders {
  /** The latest settings, their revision, and when they were set; null if there are none. */
  readonly config: {
    readonly revision: number;
    readonly settings: unknown;
    readonly setAt: number;
  } | null;
  /** The part `config` of the latest heartbeat: the revision that the unit has, or refused. */
  readonly answered: unknown;
  /** At most 20, newest first. */
  readonly commands: readonly StoredCommand[];
}

/** The settings of a device and its latest commands. */
export async function readUnitOrders(db: Kysely<DB>, deviceId: number): Promise<UnitOrders> {
  const { rows: configs } = await sql<NonNullable<UnitOrders['config']>>`
    select revision::float8 as revision, settings, set_at as "setAt"
    from device_config where device_id = ${deviceId}`.execute(db);
  const { rows: states } = await sql<{ answered: unknown }>`
    select ${sql.raw(reportedConfig)} as answered from device_state where device_id = ${deviceId}`.execute(
    db,
  );
  const { rows: commands } = await sql<StoredCommand>`
    select id::float8 as id, command, created_at as "createdAt", expires_at as "expiresAt", state,
      sent::float8 as sent, total::float8 as total, problem, missing, finished_at as "finishedAt"
    from device_command where device_id = ${deviceId} order by created_at desc, id limit 20`.execute(db);
  return { config: configs[0] ?? null, answered: states[0]?.answered ?? null, commands };
}

/** The remote settings of a device, and whether its unit uses them. */
interface FleetSettings {
  readonly serial: string;
  readonly state: 'in use' | 'open' | 'refused';
}

/** The newest command of a kind of a device. `open`: its unit has not reported it and may still receive it. */
interface FleetCommand {
  readonly serial: string;
  readonly id: number;
  readonly command: string;
  readonly state: 'done' | 'running' | 'open' | 'failed' | 'expired';
  readonly problem: string | null;
}

/** The states of the settings of devices and of their newest command of each kind. */
export interface FleetOrders {
  readonly settings: readonly FleetSettings[];
  readonly commands: readonly FleetCommand[];
}

export async function readFleetOrders(db: Kysely<DB>, deviceIds: readonly number[]): Promise<FleetOrders> {
  const settings = await sql<FleetSettings>`
    select serial,
      case when ${sql.raw(reportedConfig)}->>'revision' is distinct from config.revision::text then 'open'
        when ${sql.raw(reportedConfig)}->>'problem' is null then 'in use' else 'refused' end as state
    from device_config as config join device on device.id = config.device_id
    left join device_state using (device_id)
    where config.device_id = any(${deviceIds}::integer[])
    order by config.device_id`.execute(db);
  const commands = await sql<FleetCommand>`
    select distinct on (device_id, command->>'command') serial, ordered.id::float8 as id,
      command->>'command' as command, problem,
      case when state <> 'pending' then state when expires_at > now() then 'open' else 'expired' end as state
    from device_command as ordered join device on device.id = device_id
    where device_id = any(${deviceIds}::integer[])
    order by device_id, command->>'command', ordered.created_at desc, ordered.id`.execute(db);
  return { settings: settings.rows, commands: commands.rows };
}
