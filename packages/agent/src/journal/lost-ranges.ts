/** First and last sequence of a range that cannot be read. */
export type LostRange = readonly [first: number, last: number];

/** The same with the name of the journal. */
export type LostOfJournal = readonly [journal: string, first: number, last: number];

/** The ranges from `first` to `last` that are not in `present`, which is in ascending order. */
export function gapsIn(present: Iterable<number>, first: number, last: number): LostRange[] {
  const gaps: LostRange[] = [];
  let next = first;
  for (const sequence of present) {
    if (sequence > next) gaps.push([next, sequence - 1]);
    next = Math.max(next, sequence + 1);
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}

/**
 * The ranges that one heartbeat reports, at most `most`: they rotate with `sent`, the number of earlier heartbeats, so
 * that successive heartbeats report all of them.
 */
export function rangesToReport<Range>(lost: readonly Range[], sent: number, most: number): readonly Range[] {
  if (lost.length <= most) return lost;
  const start = (sent * most) % lost.length;
  return [...lost.slice(start), ...lost.slice(0, start)].slice(0, most);
}
