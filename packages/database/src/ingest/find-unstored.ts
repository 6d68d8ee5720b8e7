import type { ClientBase } from 'pg';
import type { CrossingRow } from './crossing-row.ts';
import { numberArray } from './sql-arrays.ts';

/** A row that is not in the table as it was sent, and why. */
export interface UnstoredRow {
  readonly row: CrossingRow;
  readonly reason: string;
}

/**
 * Compares rows with what the table holds under their keys. The same content is a crossing that was
 * delivered again, and is not returned; other content is a conflict, in which the first one stays.
 */
export async function findUnstored(
  client: ClientBase,
  rows: readonly CrossingRow[],
): Promise<readonly UnstoredRow[]> {
  const stored = await storedContents(client, rows);
  return rows.flatMap((row) => {
    const content = stored.get(keyOf(row.journalId, row.sequence));
    if (content === undefined) return { row, reason: 'device: belongs to no store' };
    return content === contentOf(row) ? [] : { row, reason: conflict };
  });
}

const conflict = 'conflict: another crossing is stored under this journal and sequence';

async function storedContents(
  client: ClientBase,
  rows: readonly CrossingRow[],
): Promise<ReadonlyMap<string, string>> {
  const result = await client.query<StoredCrossing>({
    name: 'find-crossings',
    text: statement,
    values: [numberArray(rows.map((row) => row.journalId)), numberArray(rows.map((row) => row.sequence))],
  });
  return new Map(
    result.rows.map((row) => [
      keyOf(row.journal_id, row.sequence),
      `${row.ms} ${row.direction} ${row.uncertainty_ms}`,
    ]),
  );
}

function keyOf(journalId: number, sequence: number | string): string {
  return `${journalId} ${sequence}`;
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
}

const statement = `
  select journal_id, sequence, (extract(epoch from at) * 1000)::bigint as ms, direction, uncertainty_ms
  from unnest($1::integer[], $2::bigint[]) as sent (journal_id, sequence)
  join crossing using (journal_id, sequence)`;
