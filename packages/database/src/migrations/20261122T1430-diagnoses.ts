import { type Kysely, sql } from 'kysely';

/** The last diagnoses that units sent. command_id: the command that asked for it, as the unit reports it. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql
    .raw(
      `create table device_diagnosis (
         device_id integer not null references device,
         command_id bigint not null,
         received_at timestamptz not null default now(),
         report json not null,
         primary key (device_id, command_id)
       )`,
    )
    .execute(db);
}
