/** First and last sequence of a range that cannot be read. */
export type LostRange = readonly [first: number, last: number];

/** The same sequences in ascending ranges that neither overlap nor touch. */
export function mergedRanges(ranges: readonly LostRange[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** The range that contains a sequence. */
export function rangeAt(ranges: readonly LostRange[], sequence: number): LostRange | undefined {
  return ranges.find(([first, last]) => first <= sequence && sequence <= last);
}

/** Whether all sequences of `ranges` are in `others`, which are merged. */
export function areWithin(ranges: readonly LostRange[], others: readonly LostRange[]): boolean {
  return ranges.every(([first, last]) => (rangeAt(others, first)?.[1] ?? 0) >= last);
}
