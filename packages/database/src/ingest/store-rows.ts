import type { KeyedCrossing } from '@visitor-counter/domain/crossing';
import { codeOf } from '@visitor-counter/service/errors';
import { maxClockError } from '@visitor-counter/wire/limits';
import { type Db, numberColumns, runStatement } from '../sql/query-builder.ts';

/** A crossing to store; `message` is the index of the message that contains it. */
export interface CrossingRow extends KeyedCrossing {
  readonly message: number;
  readonly journalId: number;
  readonly uncertainty: number | null;
}

/** A crossing that cannot be stored, and why. */
export interface RejectedRow {
  readonly row: CrossingRow;
  readonly reason: string;
}

/**
 * The order of the table's key, in which every writer writes, so that two writers do not deadlock. Sorting is stable:
 * of two rows with one key the one that arrived first stays first.
 */
export function compareKeys(a: CrossingRow, b: CrossingRow): number {
  return a.journalId - b.journalId || a.sequence - b.sequence;
}

/**
 * Stores rows, sorted by `compareKeys`, and a mark for each quarter hour that they touch; both have committed when this
 * returns. Returns how many were new, and those that are rejected: too old, of a device without a store at their instants,
 * or in conflict with another crossing under their key, which stays. All others were stored before with the same content.
 * Must not run inside a transaction.
 *
 * Nearly always all rows are new: a plain insert is faster than one that looks for conflicts. If one is not new, the
 * same statement runs again and leaves out what is stored.
 */
export async function storeRows(
  db: Db,
  rows: readonly CrossingRow[],
): Promise<{ inserted: number; rejected: readonly RejectedRow[] }> {
  if (rows.length === 0) return { inserted: 0, rejected: [] };
  const inserted = await insertRows(db, insertNew, rows).catch((error) => {
    if (codeOf(error) !== '23505') throw error;
    return insertRows(db, insertMissing, rows);
  });
  return { inserted, rejected: inserted < rows.length ? await judgeRows(db, rows) : [] };
}

/** Returns how many rows the statement has inserted. */
async function insertRows(db: Db, statement: string, rows: readonly CrossingRow[]): Promise<number> {
  const [result] = await runStatement<{ inserted: number }>(db, statement, columnsOf(rows));
  return result?.inserted ?? 0;
}

function columnsOf(rows: readonly CrossingRow[]): string[] {
  return numberColumns(rows, 'journalId', 'device', 'sequence', 'at', 'uncertainty', 'direction');
}

/** The parameters are columns of rows; instants in epoch ms, which are exact in a double. */
const sentRows = `unnest(
    $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::bigint[], $6::smallint[]
  ) with ordinality as given (journal_id, device_id, sequence, ms, uncertainty_ms, direction, place)
  cross join lateral (select to_timestamp(ms / 1000) as at) instant`;

/** The horizon of the company of the store `store_id`. */
const horizonOfStore = `(
    select greatest(horizon(retention_months), deleted_before)
    from store join company on company.id = company_id where store.id = store_id
  )`;

/**
 * Rows are inserted in their order, so that two writers do not deadlock, and of two rows with one key the first stays. The
 * horizon of each row's own company is looked up only for rows that are old for some company. Returns how many are
 * inserted.
 */
const insertText = (onConflict: string) => `
  with latest as materialized (
    select greatest(horizon(min(retention_months)), horizon(null), max(deleted_before)) as horizon from company
  ), stored as (
    insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
    select journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, (select current_transaction())
    from ${sentRows} cross join lateral store_at(device_id, at) assigned
    where at >= (select horizon from latest) or at >= ${horizonOfStore}
    ${onConflict}
    returning store_id, at
  ), touched as materialized (
    select store_id, date_bin('15 minutes', at, '1970-01-01Z') as start, min(at) as first, count(*) as crossings
    from stored group by 1, 2
  ), marked as (
    insert into mark (store_id, quarter, first)
    select store_id, extract(epoch from start) / 900, first from touched
  )
  select coalesce(sum(crossings), 0)::integer as inserted from touched`;

const insertNew = insertText('');
const insertMissing = insertText('on conflict do nothing');

/** Those of the rows that are not stored with the same content, each with its reason. */
async function judgeRows(db: Db, rows: readonly CrossingRow[]): Promise<RejectedRow[]> {
  const found = await runStatement<{ place: number; reason: string | null }>(
    db,
    judgeStatement,
    columnsOf(rows),
  );
  return found.flatMap(({ place, reason }) => {
    const row = rows[place - 1];
    if (row === undefined) return [];
    if (reason !== null) return [{ row, reason }];
    /* Its store or the horizon has changed since the insertion; the next attempt stores it. */
    throw new Error('a crossing was refused that can be stored now');
  });
}

/** The reason for rejecting a crossing whose key another crossing has. */
export const conflict = 'conflict: another crossing is stored under this journal and sequence';

/** The uncertainty of an instant from a wrong clock depends on when it arrives. */
const isSame = `stored.at = instant.at and stored.direction = given.direction
  and (stored.uncertainty_ms is not distinct from given.uncertainty_ms
    or greatest(stored.uncertainty_ms, given.uncertainty_ms) > ${maxClockError})`;

/** What is older than the horizon may have been stored before. */
const judgeStatement = `
  select place, case
      when stored.at is not null then '${conflict}'
      when store_id is null then 'device: belongs to no store'
      when instant.at < ${horizonOfStore} then 'old: before the first day that the company keeps'
    end as reason
  from ${sentRows}
  left join store_at(given.device_id, instant.at) assigned on true
  left join lateral (
    select at, direction, uncertainty_ms from crossing
    where crossing.journal_id = given.journal_id and crossing.sequence = given.sequence
    offset 0
  ) stored on true
  where stored.at is null or not (${isSame})`;
