import type { Correction } from '@visitor-counter/domain/occupancy';
import type { Kysely } from 'kysely';
import type { StoreRange } from '../crossings/crossings.ts';
import { numberArray, numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';

/** A correction that was not undone, and who entered it. */
export interface CorrectionInForce extends Correction {
  readonly by: string;
}

/** The corrections in each range, in the order in which they take effect; those that were undone are left out. */
export async function correctionsInForce(
  db: Kysely<DB>,
  ranges: readonly StoreRange[],
): Promise<readonly (readonly CorrectionInForce[])[]> {
  if (ranges.length === 0) return [];
  const rows = await runStatement<CorrectionInForce & { index: number }>(db, statement, [
    numberArray(ranges.map((_, index) => index)),
    ...numberColumns(ranges, 'storeId', 'from', 'to'),
  ]);
  const found = Map.groupBy(rows, ({ index }) => index);
  return ranges.map((_, index) => found.get(index) ?? []);
}

const statement = `
  select range.index, c.at, c.people,
    entry.entered_by as by
  from unnest($1::integer[], $2::integer[], $3::double precision[], $4::double precision[])
    as range (index, store_id, start, stop)
  join correction_in_force c on c.store_id = range.store_id
    and c.at >= to_timestamp(range.start / 1000) and c.at < to_timestamp(range.stop / 1000)
  join entry on entry.id = c.id
  order by range.index, c.at, c.id`;
