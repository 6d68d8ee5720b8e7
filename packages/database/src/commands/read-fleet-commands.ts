import { type Kysely, sql } from 'kysely';
import { heartbeatField } from '../devices/heartbeat-fields.ts';
import type { Schema } from '../tables/schema.ts';

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
      case when ${reported}->>'revision' is distinct from config.revision::text then 'open'
        when ${reported}->>'problem' is null then 'in use' else 'refused' end as state
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

const reported = sql.raw(heartbeatField('heartbeat', 'config'));
