import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';

/** Alerts that one statement removes: every statement has a deadline. */
const atOnce = 1_000;

/** Removes alerts that ended more than a year ago, with their messages. */
export async function removeOldAlerts(db: Kysely<DB>): Promise<void> {
  for (let removed = atOnce; removed === atOnce; ) {
    const { rows } = await sql`
      with old as (
        select id from alert where cleared_at < now() - interval '1 year' limit ${atOnce} for update skip locked
      ), messages as (
        delete from alert_delivery where alert_id in (select id from old)
      )
      delete from alert where id in (select id from old) returning id`.execute(db);
    removed = rows.length;
  }
}
