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

/**
 * The ranges that one heartbeat reports, at most `most`: up to half of the places are for ranges that no acknowledgement
 * covers yet; the other ranges rotate with `sent`, the number of earlier heartbeats, so that successive heartbeats report
 * all of them.
 */
export function rangesToReport(
  lost: readonly LostRange[],
  acknowledged: number,
  sent: number,
  most: number,
): readonly LostRange[] {
  if (lost.length <= most) return lost;
  const pending = lost.filter(([, last]) => last > acknowledged).slice(0, most >> 1);
  const others = lost.filter((range) => !pending.includes(range));
  const places = most - pending.length;
  const start = (sent * places) % others.length;
  return [...pending, ...[...others.slice(start), ...others.slice(0, start)].slice(0, places)];
}
