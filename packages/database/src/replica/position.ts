import { sql } from 'kysely';
import { recordHistory } from '../crossings/history.ts';
import type { Database } from '../sql/connect.ts';

/** What the primary shows: every transaction that has committed there, at one moment. */
export interface Position {
  /** The id of the present history; it differs for every run of every server. */
  readonly history: string;
  /** The end of the write-ahead log, with all commits that are visible; null if the primary is a standby itself. */
  readonly end: string | null;
  /** All transactions below this one have ended. */
  readonly ended: string;
}

/**
 * Reads the position of the primary now. Records its history first if that is due, so that a standby that has the history
 * follows this run of this server.
 */
export async function readPosition(primary: Database): Promise<Position> {
  const position = await readOnce(primary);
  if (position.isRecorded) return position;
  await recordHistory(primary);
  return await readOnce(primary);
}

/**
 * A commit is visible when it is on disk, or, with `synchronous_commit` off, when it is in the log. A standby receives
 * what is on disk.
 */
async function readOnce({ kysely }: Database): Promise<Position & { readonly isRecorded: boolean }> {
  const { rows } = await sql<Position & { readonly isRecorded: boolean }>`
    select id as history, pg_is_in_recovery() or origin = history_origin() as "isRecorded",
      case when pg_is_in_recovery() then null
        when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn()
      end::text as "end",
      pg_snapshot_xmin(pg_current_snapshot())::text as ended
    from history order by number desc limit 1`.execute(kysely);
  return rows[0] ?? { history: '', end: null, ended: '0', isRecorded: true };
}

/** Whether a history is one of this database. */
export async function hasHistory({ kysely }: Database, history: string | null): Promise<boolean> {
  const { rows } = await sql`select from history where id = ${history}`.execute(kysely);
  return rows.length > 0;
}

/** The transactions below `next` that the primary does not show yet; undefined if it has not come so far. */
export async function runningBelow({ kysely }: Database, next: string): Promise<string[] | undefined> {
  const { rows } = await sql<{ isReached: boolean; running: string[] }>`
    select pg_snapshot_xmax(present) >= ${next}::xid8 as "isReached",
      array(select xid::text from pg_snapshot_xip(present) as xid where xid < ${next}::xid8) as running
    from pg_current_snapshot() as present`.execute(kysely);
  return rows[0]?.isReached ? rows[0].running : undefined;
}
