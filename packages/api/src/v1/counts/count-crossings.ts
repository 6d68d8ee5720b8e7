import { readCrossings } from '@visitor-counter/database/crossings/crossings';
import { correctionsInForce } from '@visitor-counter/database/occupancy/corrections-in-force';
import { countByDevice } from '@visitor-counter/database/occupancy/device-counts';
import { onKysely } from '@visitor-counter/database/sql/run-statement';
import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import { type BucketCounts, BucketFold } from './bucket-fold.ts';
import type { Bucket } from './buckets.ts';

/**
 * Counts a store's crossings up to `now` (epoch ms) in buckets of whole business days that follow one another.
 * Memory depends on the buckets, not on crossings or journals.
 */
export async function countStore(
  snapshot: Snapshot,
  storeId: number,
  buckets: readonly Bucket[],
  now: number,
): Promise<readonly BucketCounts[]> {
  const range = rangeOf(storeId, buckets, now);
  const [corrections = []] = await correctionsInForce(onKysely(snapshot.db), [range]);
  const fold = new BucketFold(buckets, corrections);
  for await (const { crossings } of readCrossings(snapshot, [range])) {
    for (let index = 0; index < crossings.length; index += 1) {
      fold.add(crossings.at[index] ?? 0, (crossings.signedJournal[index] ?? 0) > 0 ? 1 : -1);
    }
  }
  fold.end();
  return fold.counts;
}

/** The instants (epoch ms) that are counted: those of the buckets, up to `now`. */
export function rangeOf(storeId: number, buckets: readonly Bucket[], now: number) {
  const from = buckets[0]?.from ?? now;
  return { storeId, from, to: Math.max(from, Math.min(buckets.at(-1)?.to ?? now, now + 1)) };
}

/** Entries and exits in a bucket. */
export interface InOut {
  in: number;
  out: number;
}

/**
 * Counts what each device of a store, given by its serial number, counted up to `now` (epoch ms) in each bucket;
 * devices that counted nothing are left out.
 */
export async function countDevices(
  { db }: Snapshot,
  storeId: number,
  buckets: readonly Bucket[],
  now: number,
): Promise<ReadonlyMap<string, readonly InOut[]>> {
  const { to } = rangeOf(storeId, buckets, now);
  const starts = buckets.map(({ from }) => from);
  const devices = new Map<string, InOut[]>();
  for await (const { serial, bucket, ...counted } of countByDevice(db, { storeId, starts, to })) {
    const counts = devices.get(serial) ?? noCounts(buckets);
    devices.set(serial, counts);
    counts[bucket] = counted;
  }
  return devices;
}

/** Zero entries and exits in every bucket. */
export function noCounts(buckets: readonly Bucket[]): InOut[] {
  return buckets.map(() => ({ in: 0, out: 0 }));
}
