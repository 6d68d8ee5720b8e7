import { type Kysely, sql } from 'kysely';

/** Lets readers keep what they know of quarters that are over: what changes one of them leaves a row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/* A quarter is over once the one behind it is over too: nothing is written into it in the course of things. */
const over = (row: 'new' | 'old') =>
  `${row}.quarter < floor(extract(epoch from clock_timestamp()) / 900)::integer - 1`;

const statements = [
  /* Only ever counted, so that writers never wait for each other here. Store 0 stands for all, in all quarters. */
  `create table occupancy_late_change (
     store_id integer not null,
     quarter integer not null
   )`,
  `create index occupancy_late_change_of on occupancy_late_change (store_id, quarter)`,
  `create function note_late_change() returns trigger language plpgsql as $$
   begin
     if tg_op = 'TRUNCATE' then
       insert into occupancy_late_change values (0, 2147483647);
     elsif tg_op = 'DELETE' then
       insert into occupancy_late_change values (old.store_id, old.quarter);
     else
       insert into occupancy_late_change values (new.store_id, new.quarter);
     end if;
     return null;
   end $$`,
  `create trigger note_late_write after insert or update on occupancy_quarter
   for each row when (${over('new')}) execute function note_late_change()`,
  `create trigger note_late_delete after delete on occupancy_quarter
   for each row when (${over('old')}) execute function note_late_change()`,
  `create trigger note_truncate after truncate on occupancy_quarter
   for each statement execute function note_late_change()`,
];
