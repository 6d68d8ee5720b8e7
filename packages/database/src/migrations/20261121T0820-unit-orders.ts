import { type Kysely, sql } from 'kysely';

/** What operators ask of units: settings, of which the latest revision holds, and commands. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/* What units answer is in their heartbeats: neither table is written by gateways. */
const statements = [
  `create table device_config (
     device_id integer primary key references device on delete cascade,
     revision bigint not null check (revision > 0),
     settings jsonb not null check (jsonb_typeof(settings) = 'object'),
     set_at timestamptz not null default now()
   )`,
  `create table device_command (
     id bigint generated always as identity primary key,
     device_id integer not null references device on delete cascade,
     command jsonb not null check (jsonb_typeof(command) = 'object'),
     created_at timestamptz not null default now(),
     expires_at timestamptz not null
   )`,
  'create index device_command_by_device on device_command (device_id, id)',
];
