import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/connect.ts';
import { type ArrivalCursor, type ArrivalPlace, lastBefore } from './arrival-cursor.ts';

/** The present history of the database, as a reader in commit order needs it. */
interface PresentHistory {
  readonly id: string;
  /** Transactions from this number on must not be read yet. */
  readonly end: bigint;
}

/**
 * Records the present history of the database unless it is recorded, so that cursors of lost histories are
 * recognised. A standby cannot record it and uses the history of its primary.
 */
export async function recordHistory({ pool }: Database): Promise<void> {
  await pool.query({ name: 'record-history', text: recordStatement });
}

const recordStatement = `
  select case when pg_is_in_recovery() or origin = history_origin() then id else begin_history(wait => false) end
  from history order by number desc limit 1`;

/** The present history of a snapshot. */
export async function presentHistory(db: Kysely<unknown>): Promise<PresentHistory> {
  const { rows } = await sql<{ id: string; end: string }>`
    select history.id, transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "end"
    from installation, history order by number desc limit 1`.execute(db);
  return { id: rows[0]?.id ?? '', end: BigInt(rows[0]?.end ?? 0) };
}

/**
 * Whether everything before a cursor is the same now as when the cursor was returned: its history is the present one,
 * or was continued beyond the cursor by the next one; it is not ahead of the present; and the crossing that it names
 * is still stored, by the same transaction or, where a device was moved, by a later one, or may have been deleted because of
 * its age.
 */
export async function isOfThisHistory(db: Kysely<unknown>, cursor: ArrivalCursor): Promise<boolean> {
  const { end } = await presentHistory(db);
  if (BigInt(cursor.transaction) >= end) return false;
  const { rows } = await sql<{ through: string | null }>`
    select (
      select min(later.after_transaction) from history later where later.number > history.number
    )::text as through
    from history where history.id = ${cursor.history ?? null}`.execute(db);
  const [found] = rows;
  if (found === undefined) return false;
  if (found.through !== null && BigInt(cursor.transaction) > BigInt(found.through)) return false;
  const witness = lastBefore(cursor);
  return witness === undefined || (await isStored(db, witness));
}

async function isStored(
  db: Kysely<unknown>,
  { journalId, sequence, transaction }: ArrivalPlace,
): Promise<boolean> {
  const { rows } = await sql`
    select from crossing
    where journal_id = ${journalId} and sequence = ${sequence}::bigint
      and transaction >= ${transaction}::bigint
    union all
    select from journal join device on device.id = device_id join company on company.id = company_id
    where journal.id = ${journalId} and retention_months is not null`.execute(db);
  return rows.length > 0;
}

/**
 * Throws, with the SQLSTATE of a server that is still starting, while the database is being restored: a row that is
 * missing may not be restored yet.
 */
export async function requireRestored(db: Kysely<unknown>): Promise<void> {
  await sql`select require_restored()`.execute(db);
}
