import type { ClientBase } from 'pg';
import type { CrossingRow } from './crossing-row.ts';
import { numberArray } from './sql-arrays.ts';

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

/**
 * The earliest instant (epoch ms), and their columns, an array each: their instants in ms after it. Where no row has an
 * uncertainty, that array is empty, which `unnest` beside others takes for nulls.
 */
export function crossingArrays(rows: readonly CrossingRow[]): [earliest: number, ...columns: string[]] {
  const earliest = rows.reduce((least, { at }) => Math.min(least, at), Number.MAX_SAFE_INTEGER);
  const uncertainties = rows.map((row) => row.uncertainty);
  return [
    earliest,
    numberArray(rows.map((row) => row.journalId)),
    numberArray(rows.map((row) => row.device)),
    numberArray(rows.map((row) => row.sequence)),
    numberArray(rows.map((row) => row.at - earliest)),
    numberArray(rows.map((row) => row.storeId)),
    numberArray(uncertainties.every((uncertainty) => uncertainty === null) ? [] : uncertainties),
    numberArray(rows.map((row) => row.direction)),
  ];
}

/** Takes `crossingArrays`. An instant in ms is exact in a double: it is turned into microseconds by rounding. */
export const plainInsert = `
  insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
  select journal_id, device_id, sequence, to_timestamp(($1::double precision + later) / 1000), store_id, uncertainty,
    direction, (select current_transaction())
  from unnest(
    $2::integer[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[], $7::bigint[], $8::smallint[]
  ) as sent (journal_id, device_id, sequence, later, store_id, uncertainty, direction)`;

const statement = `${plainInsert} on conflict do nothing`;
