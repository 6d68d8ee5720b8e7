import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { type Bucket, keyOfBucket } from './buckets.ts';

/** Numbers in buckets. */
export interface Series<Counts> {
  readonly buckets: readonly Bucket[];
  readonly counts: readonly Counts[];
}

/**
 * The items of a series whose buckets have begun by `now` (epoch ms), each with the same local time a week before
 * where there is one; `undefined` as earlier series leaves the comparison out.
 */
export function itemsOf(
  head: object,
  { buckets, counts }: Series<object>,
  earlier: Series<object> | undefined,
  store: StoreFacts,
  now: number,
): object[] {
  const before = new Map(
    earlier?.buckets.map((bucket, index) => [keyOfBucket(bucket, 7), earlier.counts[index]]),
  );
  const format = zonedFormatter(store.calendar.timeZone);
  return buckets.flatMap((bucket, index) => {
    const { date, from, to } = bucket;
    if (from > now) return [];
    const item = { ...head, date, from: format(from), to: format(to), ...counts[index] };
    return [earlier ? { ...item, before: before.get(keyOfBucket(bucket, 0)) ?? null } : item];
  });
}
