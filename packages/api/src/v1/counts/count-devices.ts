import { countByDevice } from '@visitor-counter/database/occupancy/device-counts';
import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { Bucket } from './buckets.ts';
import { rangeOf } from './count-store.ts';

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
