import type { Correction } from '@visitor-counter/domain/occupancy';
import { numberArray } from '../sql/arrays.ts';
import type { RunStatement } from '../sql/run-statement.ts';

/** A piece of a store's time, [`from`, `to`) in epoch ms. */
export interface CorrectedRange {
  readonly storeId: number;
  readonly from: number;
  readonly to: number;
}

/** A correction that was not undone, and who entered it. */
export interface CorrectionInForce extends Correction {
  readonly by: string;
}

/** The corrections in each range, in the order in which they take effect; those that were undone are left out. */
export async function correctionsInForce(
  run: RunStatement,
  ranges: readonly CorrectedRange[],
): Promise<readonly (readonly CorrectionInForce[])[]> {
  if (ranges.length === 0) return [];
  const rows = await run<CorrectionInForce & { index: number }>('read-corrections', statement, [
    numberArray(ranges.map((_, index) => index)),
    numberArray(ranges.map(({ storeId }) => storeId)),
    numberArray(ranges.map(({ from }) => from)),
    numberArray(ranges.map(({ to }) => to)),
  ]);
  const found = Map.groupBy(rows, ({ index }) => index);
  return ranges.map((_, index) => found.get(index) ?? []);
}

const statement = `
  select range.index, (extract(epoch from c.at) * 1000)::float8 as at, c.people,
    entry.entered_by as by
  from unnest($1::integer[], $2::integer[], $3::double precision[], $4::double precision[])
    as range (index, store_id, start, stop)
  join correction_in_force c on c.store_id = range.store_id
    and c.at >= to_timestamp(range.start / 1000) and c.at < to_timestamp(range.stop / 1000)
  join correction entry on entry.id = c.id
  order by range.index, c.at, c.id`;
