import { type Kysely, sql } from 'kysely';

/** A device whose secret was revoked cannot log in until it is given another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table device add secret_revoked_at timestamptz`.execute(db);
}
