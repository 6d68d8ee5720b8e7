type Trend = 'up' | 'down' | 'level';

/**
 * Whether a store fills or empties: its occupancy now against that at the end of the last full hour (the last but one of
 * `hours`, which end with the current hour). Changes of less than a twentieth, and of one or two people, are level.
 */
export function trendOf(hours: readonly number[], now: number): Trend {
  const before = hours.at(-2) ?? 0;
  const change = now - before;
  if (Math.abs(change) <= Math.max(2, before / 20)) return 'level';
  return change > 0 ? 'up' : 'down';
}
