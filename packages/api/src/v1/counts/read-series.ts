import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { addDays } from '@visitor-counter/domain/time-zone';
import { type Bucket, type BucketSize, bucketsOf } from './buckets.ts';

/** What was counted of a store in buckets. */
export interface Counted<Counts> {
  readonly buckets: readonly Bucket[];
  readonly counts: Counts;
}

/** What was counted in a store, and a week earlier if the caller asked for it. */
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

/** Counts a store in buckets, and if the caller asked for it in those of a week earlier. */
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
