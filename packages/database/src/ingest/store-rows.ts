import { codeOf } from '@visitor-counter/service/errors';
import type { Kysely } from 'kysely';
import type { CrossingRow, RejectedRow } from '../crossings/crossing-row.ts';
import { numberArray } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import { ChangedMeanwhile } from './storing-error.ts';

/** What became of rows. Those that are in none of the lists were stored before with the same content. */
interface StoredRows {
  /** Those that were new. */
  readonly inserted: readonly CrossingRow[];
  /** Those whose keys other crossings have. */
  readonly conflicting: readonly CrossingRow[];
  /** Those that are too old, or whose devices belong to no store at their instants. */
  readonly refused: readonly RejectedRow[];
}

/**
 * Stores rows, sorted by `compareKeys`, and a mark for each quarter hour that they touch; both have committed when this
 * returns. Must not run inside a transaction.
 *
 * Nearly always all rows are new: a plain insert is faster than one that looks for conflicts. If one is not new, the
 * same statement runs again and leaves out what is stored.
 */
export async function storeRows(db: Kysely<DB>, rows: readonly CrossingRow[]): Promise<StoredRows> {
  if (rows.length === 0) return { inserted: [], conflicting: [], refused: [] };
  try {
    const refused = await insertRows(db, storeNew, rows);
    const inserted = without(rows, refused);
    return { inserted, ...(await refusedOrStored(db, refused)) };
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
  }
  return db.transaction().execute(async (trx) => {
    const refused = await insertRows(trx, storeMissing, rows);
    const { inserted, conflicting } = await compareWithStored(trx, without(rows, refused));
    const others = await refusedOrStored(trx, refused);
    return { inserted, ...others, conflicting: [...conflicting, ...others.conflicting] };
  });
}

/** What the statement refuses may have been stored when it was not too old. */
async function refusedOrStored(
  db: Kysely<DB>,
  refused: readonly RejectedRow[],
): Promise<Omit<StoredRows, 'inserted'>> {
  if (refused.length === 0) return { conflicting: [], refused };
  const stored = await storedContents(
    db,
    refused.map(({ row }) => row),
  );
  const found = refused.filter(({ row }) => stored.has(keyOf(row)));
  return {
    conflicting: found.flatMap(({ row }) => (stored.get(keyOf(row))?.content === contentOf(row) ? [] : row)),
    refused: refused.filter(({ row }) => !stored.has(keyOf(row))),
  };
}

function keyOf({ journalId, sequence }: CrossingRow): string {
  return `${journalId} ${sequence}`;
}

function contentOf({ at, direction, uncertainty }: CrossingRow): string {
  return `${at} ${direction} ${uncertainty}`;
}

function without(rows: readonly CrossingRow[], refused: readonly RejectedRow[]): readonly CrossingRow[] {
  if (refused.length === 0) return rows;
  const left = new Set(rows);
  for (const { row } of refused) left.delete(row);
  return [...left];
}

/** Returns the rows that the statement refused. */
async function insertRows(
  db: Kysely<DB>,
  statement: string,
  rows: readonly CrossingRow[],
): Promise<RejectedRow[]> {
  const refused = await runStatement<{ place: number; isOld: boolean }>(db, statement, [
    numberArray(rows.map((row) => row.journalId)),
    numberArray(rows.map((row) => row.device)),
    numberArray(rows.map((row) => row.sequence)),
    numberArray(rows.map((row) => row.at)),
    numberArray(rows.map((row) => row.uncertainty)),
    numberArray(rows.map((row) => row.direction)),
    numberArray([...new Set(rows.map((row) => row.device))]),
  ]);
  return refused.flatMap(({ place, isOld }) => {
    const row = rows[place - 1];
    return row ? [{ row, reason: isOld ? tooOld : noStore }] : [];
  });
}

/** The reasons for refusing a crossing. */
const tooOld = 'old: before the first day that the company keeps';
const noStore = 'device: belongs to no store';

/**
 * Its parameters are columns of rows; instants in epoch ms, which are exact in a double. The last one has each device
 * once. Rows are inserted in their order, so that two writers do not deadlock, and of two rows with one key the first
 * stays. The horizon of each row's own company is looked up only for rows that are old for some company.
 */
const storeText = (onConflict: string) => `
  with sent as materialized (
    select place, journal_id, device_id, sequence, to_timestamp(ms / 1000) as at, uncertainty_ms, direction
    from unnest(
      $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::bigint[], $6::smallint[]
    ) with ordinality as sent (journal_id, device_id, sequence, ms, uncertainty_ms, direction, place)
  ), latest as materialized (
    select max(greatest(horizon(retention_months), deleted_before)) as horizon
    from device_assignment assigned join store on store.id = assigned.store_id join company on company.id = company_id
    where assigned.device_id = any($7::integer[])
  ), placed as materialized (
    select sent.*, store_id, at < (select horizon from latest) and at < (
        select greatest(horizon(retention_months), deleted_before)
        from store join company on company.id = company_id where store.id = store_id
      ) as is_old
    from sent left join lateral (
      select store_id from device_assignment assigned
      where assigned.device_id = sent.device_id and since <= sent.at order by since desc limit 1
    ) assigned on true
  ), stored as (
    insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
    select journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, (select current_transaction())
    from placed where store_id is not null and not is_old order by place
    ${onConflict}
    returning store_id, at
  ), marked as (
    insert into mark (store_id, quarter, first)
    select store_id, (extract(epoch from start) / 900)::integer, first
    from (
      select store_id, date_bin('15 minutes', at, '1970-01-01Z') as start, min(at) as first from stored group by 1, 2
    ) touched
  )
  select place::integer as place, coalesce(is_old, false) as is_old
  from placed where store_id is null or is_old`;

const storeNew = storeText('');
const storeMissing = storeText('on conflict do nothing');

/**
 * Compares rows with the stored rows of the same keys, after the transaction has inserted those that were missing.
 * Equal content is a crossing that was delivered again; different content is a conflict, in which the stored row
 * stays. Throws ChangedMeanwhile if a stored row was deleted because of its age since the insert found it.
 */
async function compareWithStored(
  trx: Kysely<DB>,
  rows: readonly CrossingRow[],
): Promise<Omit<StoredRows, 'refused'>> {
  const stored = await storedContents(trx, rows);
  const inserted: CrossingRow[] = [];
  const conflicting: CrossingRow[] = [];
  for (const row of rows) {
    const key = keyOf(row);
    const found = stored.get(key);
    if (found === undefined) throw new ChangedMeanwhile('crossings were deleted while they were stored');
    if (found.content !== contentOf(row)) conflicting.push(row);
    else if (found.isNew) inserted.push(row);
    /* A second row with this key in the same batch was not inserted. */
    stored.set(key, { ...found, isNew: false });
  }
  return { inserted, conflicting };
}

/** A stored row under the key of a sent one. */
interface StoredCrossing {
  readonly key: string;
  /** Instant, direction and uncertainty. */
  readonly content: string;
  readonly isNew: boolean;
}

async function storedContents(
  db: Kysely<DB>,
  rows: readonly CrossingRow[],
): Promise<Map<string, StoredCrossing>> {
  const found = await runStatement<StoredCrossing>(db, findStatement, [
    numberArray(rows.map((row) => row.journalId)),
    numberArray(rows.map((row) => row.sequence)),
  ]);
  return new Map(found.map((row) => [row.key, row]));
}

/** The transaction that wrote a row is in its xmin. */
const findStatement = `
  select key, concat_ws(' ', (extract(epoch from at) * 1000)::bigint, direction, coalesce(uncertainty_ms::text, 'null')) as content,
    is_new
  from unnest($1::integer[], $2::bigint[]) as sent (journal_id, sequence)
  cross join lateral (
    select journal_id || ' ' || sequence as key, at, direction, uncertainty_ms,
      crossing.xmin = pg_current_xact_id()::xid as is_new
    from crossing where crossing.journal_id = sent.journal_id and crossing.sequence = sent.sequence
    offset 0
  ) found`;
