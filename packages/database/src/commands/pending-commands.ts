import type { Pool } from 'pg';
import { heartbeatField } from '../devices/heartbeat-fields.ts';
import type { UnitOrder } from './unit-commands.ts';

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
             select device.id as device_id, serial, ${config}->>'revision' as revision,
               case when json_typeof(${commands}) = 'array' then ${commands} else '[]' end
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

const config = heartbeatField('heartbeat', 'config');
const commands = heartbeatField('heartbeat', 'commands');
