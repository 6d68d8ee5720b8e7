import type { ClientBase } from 'pg';
import type { CrossingRow } from '../crossings/crossing-row.ts';
import { numberArray, numberColumns } from '../sql/arrays.ts';

/** Rows to store, without those that retention has removed before. */
interface SeparatedRows {
  /** Those whose keys were not removed, in their order. */
  readonly rows: readonly CrossingRow[];
  /** Their keys were removed, but they happened later than anything that was removed: they are other crossings. */
  readonly conflicting: readonly CrossingRow[];
}

interface RemovedRange {
  readonly journal_id: number;
  /** 64-bit numbers arrive as text. */
  readonly first: string;
  readonly last: string;
  /** The company's crossings before this instant were removed (epoch ms). */
  readonly before: number;
}

/**
 * Separates the rows, sorted by their keys, whose keys were removed. Content that was removed cannot be compared: what
 * happened before the removal was counted and is sent again, so it is left out.
 */
export async function separateRemoved(
  client: ClientBase,
  rows: readonly CrossingRow[],
): Promise<SeparatedRows> {
  const ranges = await readRanges(client, rows);
  if (ranges.length === 0) return { rows, conflicting: [] };
  const byJournal = Map.groupBy(ranges, ({ journal_id }) => journal_id);
  const sorted = Map.groupBy(rows, ({ journalId, sequence, at }) => {
    const range = byJournal.get(journalId)?.find(({ first, last }) => {
      return sequence >= Number(first) && sequence <= Number(last);
    });
    if (range === undefined) return 'rows';
    return at < range.before ? 'again' : 'conflicting';
  });
  return { rows: sorted.get('rows') ?? [], conflicting: sorted.get('conflicting') ?? [] };
}

/** Whether one of the keys was removed; also since `separateRemoved`, in the same transaction. */
export async function isAnyRemoved(client: ClientBase, rows: readonly CrossingRow[]): Promise<boolean> {
  return (await separateRemoved(client, rows)).rows.length < rows.length;
}

async function readRanges(client: ClientBase, rows: readonly CrossingRow[]): Promise<RemovedRange[]> {
  const journals = new Map<number, { first: number; last: number }>();
  for (const { journalId, sequence } of rows) {
    const known = journals.get(journalId);
    if (known === undefined) journals.set(journalId, { first: sequence, last: sequence });
    else known.last = sequence;
  }
  const spans = [...journals.values()];
  const found = await client.query<RemovedRange>({
    name: 'find-removed',
    text: statement,
    values: [numberArray([...journals.keys()]), ...numberColumns(spans, 'first', 'last')],
  });
  return found.rows;
}

const statement = `
  select removed.journal_id, removed.first, removed.last, (extract(epoch from (
    select max(removed_before) from retention_pass pass
    join device on device.company_id = pass.company_id
    join journal on journal.device_id = device.id
    where journal.id = removed.journal_id
  )) * 1000)::float8 as before
  from unnest($1::integer[], $2::bigint[], $3::bigint[]) as sent (journal_id, first, last)
  join journal_removed removed on removed.journal_id = sent.journal_id
    and removed.last >= sent.first and removed.first <= sent.last`;
