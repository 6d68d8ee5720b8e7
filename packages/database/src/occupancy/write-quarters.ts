import { type Parts, stretchOf } from '@visitor-counter/domain/occupancy-parts';
import { numberArray } from '../ingest/sql-arrays.ts';
import type { Quarter } from './quarter.ts';
import type { RunStatement } from './run-statement.ts';

/** A quarter and what its state is to be. */
export interface QuarterState extends Quarter {
  readonly state: Parts;
}

/** Writes the state of quarters that are locked. */
export async function writeQuarters(run: RunStatement, quarters: readonly QuarterState[]): Promise<void> {
  if (quarters.length > 0)
    await run('write-quarters', statement, [...stateArrays(quarters), ...unfoldedArrays(quarters)]);
}

/** Their columns, an array each, without those of what is unfolded. */
export function stateArrays(quarters: readonly QuarterState[]): string[] {
  const states = quarters.map(({ state }) => state);
  const stretches = states.map(stretchOf);
  return [
    numberArray(quarters.map(({ storeId }) => storeId)),
    numberArray(quarters.map(({ quarter }) => quarter)),
    numberArray(stretches.map(({ sum }) => finite(sum))),
    numberArray(stretches.map(({ floor }) => floor)),
    numberArray(states.map(({ latest }) => finite(latest))),
    `{${states.map((state) => `"${partsJson(state)}"`).join(',')}}`,
  ];
}

function unfoldedArrays(quarters: readonly QuarterState[]): string[] {
  const unfolded = quarters.map(({ state }) => state.unfolded);
  return [
    numberArray(unfolded.map((acts) => acts?.from ?? null)),
    numberArray(unfolded.map((acts) => acts?.count ?? 0)),
    numberArray(unfolded.map((acts) => acts?.added ?? 0)),
  ];
}

/** Numbers, brackets and `null` only: nothing that an array literal would have to escape. */
function partsJson({ parts }: Parts): string {
  return JSON.stringify(parts.map(({ from, count, stretch }) => [from, count, stretch.sum, stretch.floor]));
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

const statement = `
  insert into occupancy_quarter as q
    (store_id, quarter, sum, floor, latest_at, unfolded_from, unfolded_count, unfolded_added, parts)
  select store_id, quarter, sum, floor, to_timestamp(latest / 1000), to_timestamp(unfolded / 1000), count, added,
    parts::json
  from unnest(
    $1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::double precision[], $6::text[],
    $7::double precision[], $8::integer[], $9::integer[]
  ) as state (store_id, quarter, sum, floor, latest, parts, unfolded, count, added)
  on conflict (store_id, quarter) do update set
    sum = excluded.sum, floor = excluded.floor, latest_at = excluded.latest_at,
    unfolded_from = excluded.unfolded_from, unfolded_count = excluded.unfolded_count,
    unfolded_added = excluded.unfolded_added, parts = excluded.parts`;
