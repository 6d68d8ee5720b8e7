import { type Kysely, sql } from 'kysely';

/** Sessions of pages. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* hash: SHA-256 of what the cookie holds, which is kept nowhere. */
  `create table session (
     hash bytea primary key check (length(hash) = 32),
     credential_id integer not null references credential on delete cascade,
     created_at timestamptz not null,
     expires_at timestamptz not null
   )`,
  `create index session_of_credential on session (credential_id, created_at)`,
];
