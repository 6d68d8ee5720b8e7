import type { Series } from './read-series.ts';

/** Why the number of a bucket may still change, or lacks crossings; of several stores all reasons. */
export const reasons = ['running', 'late', 'lost', 'removed', 'not-started'] as const;

/* Bits of these reasons. */
const [running, late, lost, removed] = [1, 2, 4, 8];

/** The bit of a time in which the store had not begun to count. */
export const notStarted = 16;

/** The reasons, as bits, why the number of a counted cell of a store is incomplete at `now` (epoch ms). */
export function reasonsOf(
  { plan, counts, delivery, begin }: Pick<Series, 'plan' | 'counts' | 'delivery' | 'begin'>,
  index: number,
  now: number,
): number {
  const { from = 0, to = 0 } = plan.all[index] ?? {};
  const isLate = to > now ? delivery.isBehind : to > delivery.until;
  const isLost = delivery.gaps.some((gap) => gap.from < to && gap.until >= from);
  return (
    (to > now ? running : 0) |
    (isLate ? late : 0) |
    (isLost ? lost : 0) |
    (counts.rough.has(index) ? removed : 0) |
    (to <= begin ? notStarted : 0)
  );
}

/** The reasons, as bits, other than that a bucket is not over. */
export function withoutRunning(bits: number): number {
  return bits & ~running;
}

/** The names of reasons. */
export function namesOf(bits: number): (typeof reasons)[number][] {
  return reasons.filter((_, index) => (bits & (1 << index)) !== 0);
}
