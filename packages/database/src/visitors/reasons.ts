import type { Bucket } from '@visitor-counter/domain/buckets';
import type { Delivery } from '../devices/completeness.ts';

/** Why the number of a bucket may still change, or lacks crossings; of several stores all reasons. */
export const reasons = ['running', 'late', 'lost', 'not-started'] as const;

/* Bits of these reasons. */
const [running, late, lost] = [1, 2, 4];

/** The bit of a time in which the store had not begun to count. */
export const notStarted = 8;

/** The reasons, as bits, why the numbers of a time of a store, or of one of its devices, are incomplete at `now` (epoch ms). */
export function reasonsIn(
  { from, to }: Pick<Bucket, 'from' | 'to'> = { from: 0, to: 0 },
  { delivery, begin }: { readonly delivery: Delivery; readonly begin: number },
  now: number,
): number {
  const isLate = to > now ? delivery.isBehind : to > delivery.until;
  const isLost = delivery.gaps.some((gap) => gap.from < to && gap.until >= from);
  return (
    (to > now ? running : 0) | (isLate ? late : 0) | (isLost ? lost : 0) | (to <= begin ? notStarted : 0)
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
