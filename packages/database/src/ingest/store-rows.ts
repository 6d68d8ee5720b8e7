import type { ClientBase } from 'pg';
import type { CrossingRow } from '../crossings/crossing-row.ts';
import { isAnyRemoved, separateRemoved } from '../crossings/removed-sequences.ts';
import { additionsJson } from '../occupancy/change.ts';
import { lockKeys } from '../sql/advisory-locks.ts';
import { numberArray } from '../sql/arrays.ts';
import type { StoringCaches } from './storing-connection.ts';
import { ChangedMeanwhile } from './storing-error.ts';

/**
 * Stores rows, sorted by `compareKeys`, and their change record, in a transaction that is one statement. Returns true when
 * it has committed; false when nothing was stored, because a key is in the table or was removed, or a device has moved.
 */
export async function storeNew(
  client: ClientBase,
  { stores }: StoringCaches,
  rows: readonly CrossingRow[],
): Promise<boolean> {
  if (rows.length === 0) return false;
  const { rows: answers } = await client.query<{ stored: boolean }>({
    name: 'store-new',
    text: storeStatement,
    values: [...crossingArrays(rows), additionsJson(rows), lockKeys.assignments, stores.version],
  });
  /* The answer is complete when the statement's own transaction has committed. */
  if (client.getTransactionStatus() !== 'I') throw new Error('the transaction has not ended');
  return answers[0]?.stored === true;
}

/** The function is in the migrations, in `crossings.sql`; the parameters have its types. */
const storeStatement = 'select store_crossings($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as stored';

/** The columns of rows, an array each; instants are epoch ms. */
export function crossingArrays(rows: readonly CrossingRow[]): string[] {
  return [
    numberArray(rows.map((row) => row.journalId)),
    numberArray(rows.map((row) => row.device)),
    numberArray(rows.map((row) => row.sequence)),
    numberArray(rows.map((row) => row.at)),
    numberArray(rows.map((row) => row.storeId)),
    numberArray(rows.map((row) => row.uncertainty)),
    numberArray(rows.map((row) => row.direction)),
  ];
}

/**
 * Begins a transaction that stores crossings, and locks the assignments of devices until it ends. Returns the version
 * of the assignments of devices (`DeviceStores`), read by a statement that begins after the lock was taken.
 */
export async function beginStoring(client: ClientBase): Promise<string> {
  const [, , { rows }] = await Promise.all([
    client.query('begin'),
    client.query({
      name: 'lock-assignments',
      text: `select pg_advisory_xact_lock_shared(${lockKeys.assignments})`,
    }),
    client.query<{ version: string }>({
      name: 'assignment-version',
      text: 'select version from assignment_version',
    }),
  ]);
  return rows[0]?.version ?? '';
}

interface StoredRows {
  /** Those that were new. */
  readonly inserted: readonly CrossingRow[];
  /** Those whose keys other crossings have. */
  readonly conflicting: readonly CrossingRow[];
}

/**
 * Stores the rows, sorted by `compareKeys`, that are not in the table, and their change record, in the open transaction.
 * Rows whose keys retention has removed are not stored: they are either sent again, or in conflict. Throws ChangedMeanwhile
 * if a key was removed while this ran; the caller then tries again.
 */
export async function storeMissing(client: ClientBase, rows: readonly CrossingRow[]): Promise<StoredRows> {
  if (rows.length === 0) return { inserted: [], conflicting: [] };
  const { rows: kept, conflicting: ofRemoved } = await separateRemoved(client, rows);
  const { inserted, conflicting } = await storeKept(client, kept);
  return { inserted, conflicting: [...conflicting, ...ofRemoved] };
}

async function storeKept(client: ClientBase, rows: readonly CrossingRow[]): Promise<StoredRows> {
  if (rows.length === 0) return { inserted: [], conflicting: [] };
  const { rowCount } = await client.query({
    name: 'insert-crossings',
    text: `${plainInsert} on conflict do nothing`,
    values: crossingArrays(rows),
  });
  /* If the insert found a key free because it was removed, that removal has committed, and this statement sees it. */
  if (await isAnyRemoved(client, rows))
    throw new ChangedMeanwhile('crossings were removed while they were stored');
  const stored =
    rowCount === rows.length ? { inserted: rows, conflicting: [] } : await compareWithStored(client, rows);
  if (stored.inserted.length > 0) {
    await client.query('insert into change (changes) values ($1::json)', [additionsJson(stored.inserted)]);
  }
  return stored;
}

/** Its parameters are `crossingArrays`. An instant in ms is exact in a double; it is rounded to microseconds. */
export const plainInsert = `
  insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
  select journal_id, device_id, sequence, to_timestamp(at / 1000), store_id, uncertainty,
    direction, (select current_transaction())
  from unnest(
    $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::integer[], $6::bigint[], $7::smallint[]
  ) as sent (journal_id, device_id, sequence, at, store_id, uncertainty, direction)`;

/**
 * Compares rows with the stored rows of the same keys, after the transaction has inserted those that were missing.
 * Equal content is a crossing that was delivered again; different content is a conflict, in which the stored row
 * stays.
 */
async function compareWithStored(client: ClientBase, rows: readonly CrossingRow[]): Promise<StoredRows> {
  const stored = await storedContents(client, rows);
  const inserted: CrossingRow[] = [];
  const conflicting: CrossingRow[] = [];
  for (const row of rows) {
    const key = `${row.journalId} ${row.sequence}`;
    const found = stored.get(key);
    if (found?.content !== `${row.at} ${row.direction} ${row.uncertainty}`) conflicting.push(row);
    else if (found.is_new) inserted.push(row);
    /* A second row with this key in the same batch was not inserted. */
    if (found) stored.set(key, { ...found, is_new: false });
  }
  return { inserted, conflicting };
}

/** A stored row under the key of a sent one. */
interface StoredCrossing {
  readonly key: string;
  /** Instant, direction and uncertainty. */
  readonly content: string;
  readonly is_new: boolean;
}

async function storedContents(
  client: ClientBase,
  rows: readonly CrossingRow[],
): Promise<Map<string, StoredCrossing>> {
  const result = await client.query<StoredCrossing>({
    name: 'find-crossings',
    text: findStatement,
    values: [numberArray(rows.map((row) => row.journalId)), numberArray(rows.map((row) => row.sequence))],
  });
  return new Map(result.rows.map((row) => [row.key, row]));
}

/** The transaction that wrote a row is in its xmin. */
const findStatement = `
  select journal_id || ' ' || sequence as key,
    concat_ws(' ', (extract(epoch from at) * 1000)::bigint, direction, coalesce(uncertainty_ms::text, 'null')) as content,
    crossing.xmin = pg_current_xact_id()::xid as is_new
  from unnest($1::integer[], $2::bigint[]) as sent (journal_id, sequence)
  join crossing using (journal_id, sequence)`;
