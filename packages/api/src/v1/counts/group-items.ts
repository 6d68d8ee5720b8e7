import { namesOf, notStarted, reasonsIn } from '@visitor-counter/database/devices/delivery';
import type { BucketCounts } from '@visitor-counter/database/occupancy/count-occupancy';
import { byTime, keyOfBucket, type SharedBucket, sharedTime } from '@visitor-counter/domain/buckets';
import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { CountSeries, Counts } from './count-series.ts';

/**
 * The items of the shop groups that the stores are in, or of `group` alone, of the buckets that have begun by `now` (epoch
 * ms).
 */
export function itemsByGroup(
  series: readonly CountSeries[],
  group: string | undefined,
  now: number,
): readonly object[] {
  const names = new Set(series.flatMap(({ store }) => store.groups));
  const wanted = [...names].filter((name) => group === undefined || nameKey(name) === nameKey(group)).sort();
  return wanted.flatMap((name) => {
    const members = series.filter(({ store }) => store.groups.includes(name));
    return groupSums(name, members, now);
  });
}

type Numbers = Pick<BucketCounts, 'in' | 'out' | 'occupancy'>;

interface Sum extends Numbers, SharedBucket {
  /** A week earlier, of those stores that had begun to count by then, and of the same stores in this bucket. */
  before: Numbers | null;
  comparable: Numbers | null;
  /** Bits of why its numbers may change: `not-started` only if none of the stores has begun to count. */
  incomplete: number;
}

/**
 * Sums of stores over the buckets that begin at the same local time of the same day, in order; with local times where the
 * stores have different offsets.
 */
function groupSums(group: string, series: readonly CountSeries[], now: number): object[] {
  const sums = new Map<string, Sum>();
  for (const one of series) {
    const { store, buckets, counts, before } = one;
    const format = zonedFormatter(store.calendar.timeZone);
    for (const [index, bucket] of buckets.entries()) {
      const { date, again } = bucket;
      const counted = counts[index];
      if (counted === undefined || bucket.from > now) continue;
      const key = keyOfBucket(bucket);
      const [from, to] = [format(bucket.from), format(bucket.to)];
      const empty = { date, from, to, again, in: 0, out: 0, occupancy: 0 };
      const sum: Sum = sums.get(key) ?? { ...empty, before: null, comparable: null, incomplete: notStarted };
      sum.from = sharedTime(sum.from, from);
      sum.to = sharedTime(sum.to, to);
      const reasons = reasonsIn(bucket, one, now);
      sum.incomplete = (sum.incomplete & reasons & notStarted) | ((sum.incomplete | reasons) & ~notStarted);
      sums.set(key, Object.assign(sum, sumOf(sum, counted)));
      const earlier = before?.[index];
      if (!earlier) continue;
      sum.before = sumOf(sum.before, earlier);
      sum.comparable = sumOf(sum.comparable, counted);
    }
  }
  const isCompared = series.some(({ before }) => before !== undefined);
  return [...sums.values()].sort(byTime).map(({ again: _, before, comparable, incomplete, ...item }) => {
    return { group, ...item, ...(isCompared && { comparable, before }), incomplete: namesOf(incomplete) };
  });
}

function sumOf(sum: Numbers | null, added: Counts): Numbers {
  const { in: entries, out, occupancy } = sum ?? { in: 0, out: 0, occupancy: 0 };
  return { in: entries + added.in, out: out + added.out, occupancy: occupancy + (added.occupancy ?? 0) };
}
