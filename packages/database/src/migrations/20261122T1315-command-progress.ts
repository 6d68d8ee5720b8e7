import { type Kysely, sql } from 'kysely';
import { heartbeatInteger } from '../reading/heartbeat-fields.ts';

/**
 * Ids of commands become random, so that none is reused after a restore, and the state of a command becomes what its
 * unit reports. Units that are still on the previous version have reported one number for all commands through it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table device_command alter column id drop identity',
  `alter table device_command
     add column state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
     add column sent bigint,
     add column total bigint,
     add column problem text,
     add column missing jsonb,
     add column finished_at timestamptz,
     add constraint device_command_finished check ((state in ('done', 'failed')) = (finished_at is not null))`,
  `update device_command as command set state = 'done', finished_at = now()
   from device_state as state
   where state.device_id = command.device_id
     and ${heartbeatInteger('heartbeat', 'commandsThrough')} >= command.id`,
  'drop index device_command_by_device',
  'create index device_command_by_device on device_command (device_id, created_at)',
  'create index device_command_unfinished on device_command (device_id) where finished_at is null',
];
