import type { Pool } from 'pg';
import type { AskedCommand } from '../operating/unit-orders.ts';

/** Something that a device was asked and has not answered yet. */
export type OpenOrder =
  | {
      readonly deviceId: number;
      readonly kind: 'config';
      readonly id: number;
      readonly content: Readonly<Record<string, unknown>>;
    }
  | {
      readonly deviceId: number;
      readonly kind: 'command';
      readonly id: number;
      readonly content: AskedCommand;
    };

/**
 * What these devices were asked and their latest heartbeats do not answer: settings by revision, commands that
 * have not expired by id, in order. What a heartbeat says is believed as far as it is a number.
 */
export async function findOpenOrders(pool: Pool, deviceIds: readonly number[]): Promise<OpenOrder[]> {
  const { rows } = await pool.query<OpenOrder>({
    name: 'find-open-orders',
    text: `with asked as (
             select device_id,
               case when json_typeof(heartbeat->'config'->'revision') = 'number'
                 then (heartbeat->'config'->>'revision')::numeric else 0 end as revision,
               case when json_typeof(heartbeat->'commandsThrough') = 'number'
                 then (heartbeat->>'commandsThrough')::numeric else 0 end as through
             from unnest($1::integer[]) as held (device_id)
             left join device_state using (device_id)
           )
           select asked.device_id as "deviceId", 'config' as kind, config.revision::float8 as id,
             settings as content
           from asked join device_config as config using (device_id)
           where config.revision <> asked.revision
           union all
           select asked.device_id, 'command', command.id::float8, command.command
           from asked join device_command as command using (device_id)
           where command.id > asked.through and command.expires_at > now()
           order by 1, 2, 3`,
    values: [deviceIds],
  });
  return rows;
}
