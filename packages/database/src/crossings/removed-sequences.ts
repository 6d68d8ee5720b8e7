import type { ClientBase } from 'pg';
import { numberColumns } from '../sql/arrays.ts';
import type { CrossingRow } from './crossing-row.ts';

/** Rows to store, without those that retention has removed before. */
interface SeparatedRows {
  /** Those whose keys were not removed, in their order. */
  readonly rows: readonly CrossingRow[];
  /** Their keys were removed, but they happened later than anything that was removed: they are other crossings. */
  readonly conflicting: readonly CrossingRow[];
}

interface RemovedRange {
  readonly journalId: number;
  readonly first: number;
  readonly last: number;
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
  let next = 0;
  const sorted = Map.groupBy(rows, ({ journalId, sequence, at }) => {
    const isBefore = ({ journalId: id, last }: RemovedRange) =>
      id < journalId || (id === journalId && last < sequence);
    for (let range = ranges[next]; range !== undefined && isBefore(range); range = ranges[next]) next += 1;
    const range = ranges[next];
    const isIn = range !== undefined && range.journalId === journalId && range.first <= sequence;
    if (!isIn) return 'rows';
    return at < range.before ? 'again' : 'conflicting';
  });
  return { rows: sorted.get('rows') ?? [], conflicting: sorted.get('conflicting') ?? [] };
}

/** Whether one of the keys was removed, also if that was after `separateRemoved` in the same transaction. */
export async function isAnyRemoved(client: ClientBase, rows: readonly CrossingRow[]): Promise<boolean> {
  return (await separateRemoved(client, rows)).rows.length < rows.length;
}

/** The removed ranges of sorted rows, in their order. */
async function readRanges(client: ClientBase, rows: readonly CrossingRow[]): Promise<RemovedRange[]> {
  const spans: { readonly journalId: number; readonly first: number; last: number }[] = [];
  for (const { journalId, sequence } of rows) {
    const before = spans.at(-1);
    if (before?.journalId === journalId && sequence <= before.last + 1) before.last = sequence;
    else spans.push({ journalId, first: sequence, last: sequence });
  }
  const found = await client.query<RemovedRange>({
    name: 'find-removed',
    text: statement,
    values: numberColumns(spans, 'journalId', 'first', 'last'),
  });
  return found.rows;
}

/**
 * SQL for the greatest `last` of the removed ranges that can overlap sequences up to `last` of a journal: the ranges do not
 * overlap, so none after the first one that ends there or later. A hostile unit can have millions of them.
 */
export const lastRemoved = (journalId: string, last: string) => `
    select coalesce((
      select next.last from journal_removed next where next.journal_id = ${journalId} and next.last >= ${last}
      order by next.last limit 1
    ), ${last}) as last offset 0`;

/** SQL for the removed ranges of a journal that overlap these sequences. The arguments are SQL, with qualified names. */
export const removedRanges = (journalId: string, first: string, last: string) => `
    select removed.first, removed.last from (${lastRemoved(journalId, last)}) bound
    join journal_removed removed on removed.journal_id = ${journalId}
      and removed.last >= ${first} and removed.last <= bound.last and removed.first <= ${last}`;

/** SQL for the removed range that contains a sequence of a journal; no row if there is none. */
export const removedRangeOf = (journalId: string, sequence: string) => `
    select first, last from (
      select first, last from journal_removed
      where journal_id = ${journalId} and last >= ${sequence} order by last limit 1
    ) removed
    where first <= ${sequence}`;

const statement = `
  select sent.journal_id as "journalId", removed.first::float8 as first, removed.last::float8 as last, (extract(epoch from (
    select max(removed_before) from retention_pass pass
    join device on device.company_id = pass.company_id
    join journal on journal.device_id = device.id
    where journal.id = sent.journal_id
  )) * 1000)::float8 as before
  from unnest($1::integer[], $2::bigint[], $3::bigint[]) as sent (journal_id, first, last)
  cross join lateral (${removedRanges('sent.journal_id', 'sent.first', 'sent.last')}) removed
  order by sent.journal_id, removed.last`;
