import { type Kysely, sql } from 'kysely';

/**
 * Rules with a limit of their own: for disk-low `500MB` or `10%`, for version-old the oldest version that is not. And
 * which versions the units of a company have, and since when without interruption, by the server's clock.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table alert_rule add column threshold text`,
  `create table agent_version (
     company_id integer not null references company,
     version text not null,
     since timestamptz not null default now(),
     primary key (company_id, version)
   )`,
];
