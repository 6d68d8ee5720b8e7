import type { ClientBase } from 'pg';
import { numberArray } from '../sql/arrays.ts';
import type { CrossingRow } from './insert-crossings.ts';

/** A row that is not stored as it was sent, and why. */
export interface UnstoredRow {
  readonly row: Omit<CrossingRow, 'storeId'>;
  readonly reason: string;
}

export interface Compared {
  /** Rows that this transaction has inserted. */
  readonly inserted: readonly CrossingRow[];
  readonly unstored: readonly UnstoredRow[];
}

/**
 * Compares rows with the stored rows of the same keys, after the transaction has inserted those that were missing.
 * Equal content is a crossing that was delivered again; different content is a conflict, in which the stored row
 * stays.
 */
export async function compareWithStored(client: ClientBase, rows: readonly CrossingRow[]): Promise<Compared> {
  const stored = await storedContents(client, rows);
  const inserted: CrossingRow[] = [];
  const unstored: UnstoredRow[] = [];
  for (const row of rows) {
    const key = `${row.journalId} ${row.sequence}`;
    const found = stored.get(key);
    if (found?.content !== contentOf(row)) unstored.push({ row, reason: conflict });
    else if (found.is_new) inserted.push(row);
    /* A second row with this key in the same batch was not inserted. */
    if (found) stored.set(key, { ...found, is_new: false });
  }
  return { inserted, unstored };
}

/** The reason for rejecting a crossing whose key another crossing has. */
export const conflict = 'conflict: another crossing is stored under this journal and sequence';

interface Stored {
  readonly content: string;
  readonly is_new: boolean;
}

async function storedContents(
  client: ClientBase,
  rows: readonly CrossingRow[],
): Promise<Map<string, Stored>> {
  const result = await client.query<StoredCrossing>({
    name: 'find-crossings',
    text: statement,
    values: [numberArray(rows.map((row) => row.journalId)), numberArray(rows.map((row) => row.sequence))],
  });
  return new Map(
    result.rows.map(({ journal_id, sequence, ms, direction, uncertainty_ms, is_new }) => [
      `${journal_id} ${sequence}`,
      { content: `${ms} ${direction} ${uncertainty_ms}`, is_new },
    ]),
  );
}

function contentOf({ at, direction, uncertainty }: CrossingRow): string {
  return `${at} ${direction} ${uncertainty}`;
}

interface StoredCrossing {
  readonly journal_id: number;
  /** 64-bit numbers arrive as text. */
  readonly sequence: string;
  readonly ms: string;
  readonly direction: number;
  readonly uncertainty_ms: string | null;
  readonly is_new: boolean;
}

/** The transaction that wrote a row is in its xmin. */
const statement = `
  select journal_id, sequence, (extract(epoch from at) * 1000)::bigint as ms, direction, uncertainty_ms,
    crossing.xmin = pg_current_xact_id()::xid as is_new
  from unnest($1::integer[], $2::bigint[]) as sent (journal_id, sequence)
  join crossing using (journal_id, sequence)`;
