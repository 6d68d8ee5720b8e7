import type { Folded } from '@visitor-counter/domain/occupancy';
import { keyOfQuarter, type Quarter } from '../occupancy/quarter.ts';
import { numberArray } from '../sql/arrays.ts';
import type { RunStatement } from '../sql/run-statement.ts';

/** What a quarter hour does to the occupancy of its store. */
export interface FoldedQuarter extends Quarter {
  readonly folded: Folded;
}

interface QuarterRow {
  readonly store_id: number;
  readonly quarter: number;
  /** Null is -Infinity. */
  readonly sum: number | null;
  readonly floor: number;
  readonly latest: number | null;
}

/** The rows of those quarters that have one, by `keyOfQuarter`. */
export async function readQuarterRows(
  run: RunStatement,
  quarters: readonly Quarter[],
): Promise<ReadonlyMap<string, Folded>> {
  const rows = await run<QuarterRow>('read-quarter-rows', readStatement, [
    numberArray(quarters.map(({ storeId }) => storeId)),
    numberArray(quarters.map(({ quarter }) => quarter)),
  ]);
  return new Map(
    rows.map(({ store_id: storeId, quarter, sum, floor, latest }) => [
      keyOfQuarter({ storeId, quarter }),
      {
        stretch: { sum: sum ?? Number.NEGATIVE_INFINITY, floor },
        latest: latest ?? Number.NEGATIVE_INFINITY,
      },
    ]),
  );
}

/** Inserts or updates the rows of quarters. */
export async function writeQuarterRows(run: RunStatement, quarters: readonly FoldedQuarter[]): Promise<void> {
  await run('write-quarter-rows', writeStatement, [
    numberArray(quarters.map(({ storeId }) => storeId)),
    numberArray(quarters.map(({ quarter }) => quarter)),
    numberArray(quarters.map(({ folded }) => folded.stretch.sum)),
    numberArray(quarters.map(({ folded }) => folded.stretch.floor)),
    numberArray(quarters.map(({ folded }) => folded.latest)),
  ]);
}

const readStatement = `
  select store_id, quarter, sum, floor, (extract(epoch from latest_at) * 1000)::float8 as latest
  from occupancy_quarter
  join unnest($1::integer[], $2::integer[]) as wanted (store_id, quarter) using (store_id, quarter)`;

const writeStatement = `
  insert into occupancy_quarter as q (store_id, quarter, sum, floor, latest_at)
  select store_id, quarter, sum, floor, to_timestamp(latest / 1000)
  from unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::double precision[])
    as folded (store_id, quarter, sum, floor, latest)
  on conflict (store_id, quarter) do update set
    sum = excluded.sum, floor = excluded.floor, latest_at = excluded.latest_at
  where (q.sum, q.floor, q.latest_at) is distinct from (excluded.sum, excluded.floor, excluded.latest_at)`;
