import type { Part, Parts } from '@visitor-counter/domain/occupancy-parts';

/** A quarter as its row is read by `stateColumns`. */
export interface StoredState {
  readonly store_id: number;
  readonly quarter: number;
  /** A sum of null is -Infinity, which JSON cannot write. */
  readonly parts: readonly [from: number, count: number, sum: number | null, floor: number][];
  readonly latest: number | null;
  readonly unfolded_from: number | null;
  readonly unfolded_count: number;
  readonly unfolded_added: number;
}

export function stateOf(row: StoredState): Parts {
  const parts = row.parts.map(
    ([from, count, sum, floor]): Part => ({
      from,
      count,
      stretch: { sum: sum ?? Number.NEGATIVE_INFINITY, floor },
    }),
  );
  const latest = row.latest ?? Number.NEGATIVE_INFINITY;
  if (row.unfolded_from === null) return { parts, latest };
  const unfolded = { from: row.unfolded_from, count: row.unfolded_count, added: row.unfolded_added };
  return { parts, latest, unfolded };
}

/** The columns that give it. */
export const stateColumns = `
  store_id, quarter, parts, (extract(epoch from latest_at) * 1000)::float8 as latest,
    (extract(epoch from unfolded_from) * 1000)::float8 as unfolded_from, unfolded_count, unfolded_added`;
