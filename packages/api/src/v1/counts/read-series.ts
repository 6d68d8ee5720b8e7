import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { addDays } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { type Bucket, type BucketSize, bucketsOf, keyOfBucket } from './buckets.ts';

/** What was counted of a store in buckets. */
export interface Counted<Counts> {
  readonly buckets: readonly Bucket[];
  readonly counts: Counts;
}

/** What was counted in a store, and a week earlier if the caller requested it. */
export interface StoreSeries<Counts> extends Counted<Counts> {
  readonly store: StoreFacts;
  readonly earlier?: Counted<Counts>;
}

/** Counts a store up to `now` (epoch ms) in buckets. */
export type Count<Counts> = (
  snapshot: Snapshot,
  storeId: number,
  buckets: readonly Bucket[],
  now: number,
) => Promise<Counts>;

interface SeriesOptions {
  readonly bucket: BucketSize;
  /** Whether the buckets of a week earlier are counted, too. */
  readonly week: boolean;
}

/** Counts a store in buckets, and if the caller requested it in those of a week earlier. */
export async function readSeries<Counts>(
  count: Count<Counts>,
  snapshot: Snapshot,
  { store, buckets }: { readonly store: StoreFacts; readonly buckets: readonly Bucket[] },
  { bucket, week }: SeriesOptions,
  now: number,
): Promise<StoreSeries<Counts>> {
  const counts = await count(snapshot, store.id, buckets, now);
  const [first, last] = [buckets.at(0)?.date, buckets.at(-1)?.date];
  if (!week || first === undefined || last === undefined) return { store, buckets, counts };
  const days = { from: addDays(first, -7), to: addDays(last, -7) };
  const earlier = bucketsOf(store.calendar, days, bucket, now);
  return {
    ...{ store, buckets, counts },
    earlier: { buckets: earlier, counts: await count(snapshot, store.id, earlier, now) },
  };
}

/**
 * The items of a series whose buckets have begun by `now` (epoch ms), each with the same local time a week before
 * where there is one; `undefined` as earlier series leaves the comparison out.
 */
export function itemsOf(
  head: object,
  { buckets, counts }: Counted<readonly object[]>,
  earlier: Counted<readonly object[]> | undefined,
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
