/**
 * Visitors: the people who came in, without declared passages of staff.
 *
 * `entries` and `staff` are those of the buckets of one business day, in order. Staff are taken from the entries of the
 * bucket in which they are declared; what remains, from the buckets that follow; what then still remains, from the buckets
 * before, the nearest first. So the sum is that of the day: entries less staff, and never below 0.
 */
export function withoutStaff(entries: readonly number[], staff: readonly number[]): number[] {
  const visitors = [...entries];
  let remaining = 0;
  const take = (index: number) => {
    const taken = Math.min(remaining, visitors[index] ?? 0);
    visitors[index] = (visitors[index] ?? 0) - taken;
    remaining -= taken;
  };
  for (let index = 0; index < visitors.length; index += 1) {
    remaining += staff[index] ?? 0;
    take(index);
  }
  for (let index = visitors.length - 1; remaining > 0 && index >= 0; index -= 1) take(index);
  return visitors;
}
