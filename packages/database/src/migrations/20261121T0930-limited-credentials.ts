import { type Kysely, sql } from 'kysely';

/** Credentials that open some stores of their company only. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* A limited credential opens the stores that are listed, and none at all where none is. */
  `alter table credential add limited boolean not null default false`,
  `create table credential_store (
     credential_id integer not null references credential on delete cascade,
     store_id integer not null references store on delete cascade,
     primary key (credential_id, store_id)
   )`,
];
