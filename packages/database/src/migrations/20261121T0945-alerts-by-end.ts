import { type Kysely, sql } from 'kysely';

/** Companies read the alerts that are open or ended lately. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql.raw('create index alert_by_end on alert (company_id, cleared_at)').execute(db);
}
