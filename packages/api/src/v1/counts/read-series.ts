import type { Snapshot } from '@visitor-counter/database/reading/snapshot';
import type { StoreFacts } from '@visitor-counter/database/reading/store-facts';
import { addDays } from '@visitor-counter/domain/time-zone';
import { type Bucket, type BucketSize, bucketsOf } from './buckets.ts';
import { countStore } from './count-store.ts';
import type { StoreSeries } from './items-by.ts';

/** Counts a store in buckets, and where it is asked for in those of a week before. */
export async function readSeries(
  snapshot: Snapshot,
  store: StoreFacts,
  buckets: readonly Bucket[],
  { bucket, week }: { readonly bucket: BucketSize; readonly week: boolean },
  now: number,
): Promise<StoreSeries> {
  const counted = await countStore(snapshot, store.id, buckets, now);
  const [first, last] = [buckets.at(0)?.date, buckets.at(-1)?.date];
  if (!week || first === undefined || last === undefined) return { store, buckets, ...counted };
  const days = { from: addDays(first, -7), to: addDays(last, -7) };
  const earlier = bucketsOf(store.calendar, days, bucket, now);
  return {
    ...{ store, buckets, ...counted },
    earlier: { buckets: earlier, ...(await countStore(snapshot, store.id, earlier, now)) },
  };
}
