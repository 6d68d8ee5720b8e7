import type { ClientBase } from 'pg';
import { compareWithStored, type UnstoredRow } from '../crossings/compare-with-stored.ts';
import type { CrossingRow } from '../crossings/insert-crossings.ts';
import { insertCrossings } from '../crossings/insert-crossings.ts';
import { additionsJson } from '../occupancy/change.ts';

export interface StoredRows {
  /** Those that were new. */
  readonly inserted: readonly CrossingRow[];
  /** Those that are not stored as they were sent. */
  readonly unstored: readonly UnstoredRow[];
}

/** Stores the rows, sorted by `compareKeys`, that are not in the table, and their change record, in the open transaction. */
export async function storeMissing(client: ClientBase, rows: readonly CrossingRow[]): Promise<StoredRows> {
  if (rows.length === 0) return { inserted: [], unstored: [] };
  const stored = await insertCrossings(client, rows);
  if (stored === rows.length) {
    await recordAdditions(client, rows);
    return { inserted: rows, unstored: [] };
  }
  const { inserted, unstored } = await compareWithStored(client, rows);
  if (inserted.length > 0) await recordAdditions(client, inserted);
  return { inserted, unstored };
}

async function recordAdditions(client: ClientBase, rows: readonly CrossingRow[]): Promise<void> {
  await client.query('insert into change (changes) values ($1::json)', [additionsJson(rows)]);
}
