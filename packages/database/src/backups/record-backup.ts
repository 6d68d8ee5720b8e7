import { type Kysely, sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Schema } from '../tables/schema.ts';

export interface Backup {
  /** The instant (epoch ms) of the snapshot that it contains. */
  readonly takenAt: number;
  /** Where it was written. */
  readonly path: string;
  readonly bytes: number;
}

/** How long records of backups are stored (days). */
const days = 400;

/** Records a backup that is complete and verified, from which its age is measured. Records older than 400 days are deleted. */
export async function recordBackup(db: Kysely<Schema>, { takenAt, path, bytes }: Backup): Promise<void> {
  await sql`
    with expired as (
      delete from backup where taken_at < now() - make_interval(days => ${days}::integer)
    )
    insert into backup (taken_at, path, bytes)
    values (${timestamp(takenAt)}::timestamptz, ${path}, ${bytes}::bigint)`.execute(db);
}
