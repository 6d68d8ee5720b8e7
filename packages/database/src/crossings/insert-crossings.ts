import type { KeyedCrossing } from '@visitor-counter/domain/crossing';
import type { ClientBase } from 'pg';
import { numberArray } from '../sql/arrays.ts';

/**
 * Inserts rows, sorted by `compareKeys`, and returns how many were new. A row is left out when its key is
 * in the table, or earlier among `rows`.
 */
export async function insertCrossings(client: ClientBase, rows: readonly CrossingRow[]): Promise<number> {
  const { rowCount } = await client.query({
    name: 'insert-crossings',
    text: statement,
    values: crossingArrays(rows),
  });
  return rowCount ?? 0;
}

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

/** Its parameters are `crossingArrays`. An instant in ms is exact in a double; it is rounded to microseconds. */
export const plainInsert = `
  insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
  select journal_id, device_id, sequence, to_timestamp(at / 1000), store_id, uncertainty,
    direction, (select current_transaction())
  from unnest(
    $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::integer[], $6::bigint[], $7::smallint[]
  ) as sent (journal_id, device_id, sequence, at, store_id, uncertainty, direction)`;

const statement = `${plainInsert} on conflict do nothing`;

/** A crossing to store; `message` is the index of the message that contains it. */
export interface CrossingRow extends KeyedCrossing {
  readonly message: number;
  readonly journalId: number;
  /** The store of its device at its instant. */
  readonly storeId: number;
  readonly uncertainty: number | null;
}

/**
 * The order of the table's key, in which every writer writes, so that two writers do not deadlock. Sorting is stable:
 * of two rows with one key the one that arrived first stays first.
 */
export function compareKeys(a: CrossingRow, b: CrossingRow): number {
  return a.journalId - b.journalId || a.sequence - b.sequence;
}
