import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { type Bucket, keyInCalendar, keyOfBucket } from '@visitor-counter/domain/buckets';
import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { BucketCounts, InOut } from './count.ts';

/* Every list has only the buckets that have begun by `now` (epoch ms). */

/** What was counted in buckets. */
interface Counted<Counts> {
  readonly buckets: readonly Bucket[];
  readonly counts: readonly Counts[];
}

/** What was counted in a store or by one of its devices, and a week earlier if the caller requested it. */
export interface Series<Counts> extends Counted<Counts> {
  readonly store: StoreFacts;
  readonly device: string | undefined;
  readonly earlier?: Counted<Counts>;
}

const none: InOut & Partial<BucketCounts> = { in: 0, out: 0 };

/** The items of a store or device, each with the same local time a week before where the series has that. */
export function itemsOf(
  { store, device, buckets, counts, earlier }: Series<InOut & Partial<BucketCounts>>,
  now: number,
): object[] {
  const format = zonedFormatter(store.calendar.timeZone);
  const before = new Map(
    earlier?.buckets.map((bucket, index) => [keyInCalendar(bucket, 7), earlier.counts[index] ?? none]),
  );
  return buckets.flatMap((bucket, index) => {
    const { date, from, to } = bucket;
    if (from > now) return [];
    const { corrections, ...numbers } = counts[index] ?? none;
    const { corrections: _, ...week } = before.get(keyInCalendar(bucket, 0)) ?? {};
    return {
      ...(device !== undefined && { device }),
      ...{ store: store.sid, date, from: format(from), to: format(to), ...numbers },
      ...(corrections && {
        corrections: corrections.map(({ at, by, people, was }) => ({ at: format(at), by, people, was })),
      }),
      ...(earlier && { before: 'in' in week ? week : null }),
    };
  });
}

/** The items of the shop groups that the stores are in, or of `group` alone. */
export function itemsByGroup(
  series: readonly Series<BucketCounts>[],
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

interface Sum extends InOut {
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly again: boolean;
  occupancy: number;
}

/**
 * Sums of stores over the buckets that begin at the same local time of the same day, in order; with local times, since
 * the stores may be in several zones.
 */
function groupSums(group: string, series: readonly Series<BucketCounts>[], now: number): object[] {
  const earlier = series.flatMap((one) => one.earlier ?? []);
  const before = sums(earlier, 7, now);
  const items = [...sums(series, 0, now)];
  items.sort(([, a], [, b]) =>
    a.from === b.from ? Number(a.again) - Number(b.again) : a.from < b.from ? -1 : 1,
  );
  return items.map(([key, { again: _, ...item }]) => {
    if (earlier.length === 0) return { group, ...item };
    const week = before.get(key);
    return {
      ...{ group, ...item },
      before: week ? { in: week.in, out: week.out, occupancy: week.occupancy } : null,
    };
  });
}

function sums(series: readonly Counted<BucketCounts>[], days: number, now: number): Map<string, Sum> {
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
