import type { BucketCounts } from './bucket-fold.ts';
import { keyOfBucket } from './buckets.ts';
import type { Counted } from './read-series.ts';

interface Sum {
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly again: boolean;
  in: number;
  out: number;
  occupancy: number;
}

/**
 * Sums of stores over the buckets that begin at the same local time of the same day and have begun by `now`
 * (epoch ms), in order; with local times, since the stores may be in several zones.
 */
export function groupSums(
  group: string,
  series: readonly Counted<readonly BucketCounts[]>[],
  earlier: readonly Counted<readonly BucketCounts[]>[] | undefined,
  now: number,
): object[] {
  const before = earlier && sums(earlier, 7, now);
  const items = [...sums(series, 0, now)];
  items.sort(([, a], [, b]) =>
    a.from === b.from ? Number(a.again) - Number(b.again) : a.from < b.from ? -1 : 1,
  );
  return items.map(([key, { again: _, ...item }]) => {
    if (before === undefined) return { group, ...item };
    const week = before.get(key);
    return {
      group,
      ...item,
      before: week ? { in: week.in, out: week.out, occupancy: week.occupancy } : null,
    };
  });
}

function sums(
  series: readonly Counted<readonly BucketCounts[]>[],
  days: number,
  now: number,
): Map<string, Sum> {
  const found = new Map<string, Sum>();
  for (const { buckets, counts } of series) {
    for (const [index, bucket] of buckets.entries()) {
      const { date, from, localFrom, localTo, again } = bucket;
      const counted = counts[index];
      if (counted === undefined || from > now) continue;
      const key = keyOfBucket(bucket, days);
      const empty = { date, from: localFrom, to: localTo, again, in: 0, out: 0, occupancy: 0 };
      const sum: Sum = found.get(key) ?? empty;
      found.set(key, sum);
      sum.in += counted.in;
      sum.out += counted.out;
      sum.occupancy += counted.occupancy;
    }
  }
  return found;
}
