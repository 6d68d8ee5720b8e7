import { codeOf } from '@visitor-counter/service/errors';
import { maxClockError } from '@visitor-counter/wire/limits';
import type { Kysely } from 'kysely';
import { type CrossingRow, conflict, type RejectedRow } from '../crossings/journal-ids.ts';
import { numberColumns, runStatement } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';

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
  db: Kysely<DB>,
  rows: readonly CrossingRow[],
): Promise<{ inserted: number; rejected: readonly RejectedRow[] }> {
  if (rows.length === 0) return { inserted: 0, rejected: [] };
  const { inserted, refused } = await insertRows(db, storeNew, rows).catch((error) => {
    if (codeOf(error) !== '23505') throw error;
    return insertRows(db, storeMissing, rows);
  });
  /* What is refused may have been stored when it was not too old. */
  const isEveryOtherNew = inserted + refused.length === rows.length;
  const toCompare = isEveryOtherNew ? refused.map(({ row }) => row) : rows;
  const stored = await compareWithStored(db, toCompare);
  const conflicts = toCompare.filter((row) => stored.get(row) === false);
  return {
    inserted,
    rejected: [
      ...refused.filter(({ row }) => !stored.has(row)),
      ...conflicts.map((row) => ({ row, reason: conflict })),
    ],
  };
}

/** Returns how many rows the statement has inserted, and those that it refused. */
async function insertRows(
  db: Kysely<DB>,
  statement: string,
  rows: readonly CrossingRow[],
): Promise<{ inserted: number; refused: RejectedRow[] }> {
  const columns = numberColumns(rows, 'journalId', 'device', 'sequence', 'at', 'uncertainty', 'direction');
  const [result] = await runStatement<{ inserted: number; old: number[]; storeless: number[] }>(
    db,
    statement,
    columns,
  );
  const { inserted = 0, old = [], storeless = [] } = result ?? {};
  const refusedFor = (reason: string) => (place: number) => {
    const row = rows[place - 1];
    return row ? [{ row, reason }] : [];
  };
  return {
    inserted,
    refused: [...old.flatMap(refusedFor(tooOld)), ...storeless.flatMap(refusedFor(noStore))],
  };
}

/** The reasons for refusing a crossing. */
const tooOld = 'old: before the first day that the company keeps';
const noStore = 'device: belongs to no store';

/**
 * Its parameters are columns of rows; instants in epoch ms, which are exact in a double. Rows are inserted in their order, so that two writers do not deadlock, and of two rows with one key the first
 * stays. The horizon of each row's own company is looked up only for rows that are old for some company. Returns how many
 * are inserted, and the places of those that are refused.
 */
const storeText = (onConflict: string) => `
  with sent as materialized (
    select place, journal_id, device_id, sequence, to_timestamp(ms / 1000) as at, uncertainty_ms, direction
    from unnest(
      $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::bigint[], $6::smallint[]
    ) with ordinality as sent (journal_id, device_id, sequence, ms, uncertainty_ms, direction, place)
  ), latest as materialized (
    select greatest(horizon(min(retention_months)), horizon(null), max(deleted_before)) as horizon from company
  ), placed as materialized (
    select sent.*, store_id, at < (select horizon from latest) and at < (
        select greatest(horizon(retention_months), deleted_before)
        from store join company on company.id = company_id where store.id = store_id
      ) as is_old
    from sent left join store_at(sent.device_id, sent.at) assigned on true
  ), stored as (
    insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
    select journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, (select current_transaction())
    from placed where store_id is not null and not is_old order by place
    ${onConflict}
    returning store_id, at
  ), marked as (
    insert into mark (store_id, quarter, first)
    select store_id, extract(epoch from start) / 900, first
    from (
      select store_id, date_bin('15 minutes', at, '1970-01-01Z') as start, min(at) as first from stored group by 1, 2
    ) touched
  )
  select (select count(*) from stored) as inserted,
    array(select place::integer from placed where is_old) as old,
    array(select place::integer from placed where store_id is null) as storeless`;

const storeNew = storeText('');
const storeMissing = storeText('on conflict do nothing');

/**
 * The rows whose keys are stored, and whether with the same content: then the crossing was delivered again. The uncertainty of
 * an instant from a wrong clock depends on when it arrives.
 */
async function compareWithStored(
  db: Kysely<DB>,
  rows: readonly CrossingRow[],
): Promise<ReadonlyMap<CrossingRow, boolean>> {
  if (rows.length === 0) return new Map();
  const columns = numberColumns(rows, 'journalId', 'sequence', 'at', 'uncertainty', 'direction');
  const found = await runStatement<{ place: number; isSame: boolean }>(db, compareStatement, columns);
  return new Map(
    found.flatMap(({ place, isSame }) => {
      const row = rows[place - 1];
      return row ? [[row, isSame] as const] : [];
    }),
  );
}

const compareStatement = `
  select place,
    stored.at = to_timestamp(ms / 1000) and stored.direction = sent.direction
      and (stored.uncertainty_ms is not distinct from sent.uncertainty_ms
        or greatest(stored.uncertainty_ms, sent.uncertainty_ms) > ${maxClockError}) as is_same
  from unnest(
    $1::integer[], $2::bigint[], $3::double precision[], $4::bigint[], $5::smallint[]
  ) with ordinality as sent (journal_id, sequence, ms, uncertainty_ms, direction, place)
  cross join lateral (
    select at, direction, uncertainty_ms from crossing
    where crossing.journal_id = sent.journal_id and crossing.sequence = sent.sequence
    offset 0
  ) stored`;
