import { type Kysely, sql } from 'kysely';

/** Lets readers keep lists of stores: whatever changes a store changes the version, in the same transaction. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* One row. Random, not counted: a database that was restored never has a version again that meant other stores. */
  `create table store_version (
     singleton boolean primary key default true check (singleton),
     version uuid not null default gen_random_uuid()
   )`,
  `insert into store_version default values`,
  `create function renew_store_version() returns trigger language plpgsql as $$
   begin
     update store_version set version = gen_random_uuid();
     return null;
   end $$`,
  `create trigger renew_store_version
   after insert or update or delete or truncate on store
   for each statement execute function renew_store_version()`,
];
