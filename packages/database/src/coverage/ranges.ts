/** Sequences of a journal, both ends included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Ranges, in any order and also overlapping ones, as an `int8multirange`. */
export function multirange(ranges: readonly Range[]): string {
  return `{${ranges.map(({ first, last }) => `[${first},${last}]`).join()}}`;
}
