/** Sequences of a journal, both ends included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Sorted ranges of the same sequences that neither overlap nor touch. */
export function joined(ranges: readonly Range[]): Range[] {
  const apart: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = apart.at(-1);
    if (range.last < range.first) continue;
    if (before === undefined || range.first > before.last + 1) apart.push(range);
    else apart[apart.length - 1] = { ...before, last: Math.max(before.last, range.last) };
  }
  return apart;
}

/** The parts of `ranges`, which are sorted and do not overlap, that are in none of `known`. */
export function subtract<Part extends Range>(ranges: readonly Part[], known: readonly Range[]): Part[] {
  const covers = joined(known);
  const left: Part[] = [];
  let index = 0;
  for (const range of ranges) {
    let next = range.first;
    while ((covers[index]?.last ?? Number.POSITIVE_INFINITY) < next) index += 1;
    for (let at = index; next <= range.last; at += 1) {
      const { first, last } = covers[at] ?? { first: range.last + 1, last: range.last + 1 };
      if (first > next) left.push({ ...range, first: next, last: Math.min(first - 1, range.last) });
      next = Math.max(next, last + 1);
    }
  }
  return left;
}

/** The parts of sorted `ranges` up to `end`, and the parts after it. */
export function splitAfter<Part extends Range>(ranges: readonly Part[], end: number): [Part[], Part[]] {
  return [
    ranges.flatMap((range) => (range.first > end ? [] : { ...range, last: Math.min(range.last, end) })),
    ranges.flatMap((range) => (range.last <= end ? [] : { ...range, first: Math.max(range.first, end + 1) })),
  ];
}

/** How many sequences are in ranges that do not overlap. */
export function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}
