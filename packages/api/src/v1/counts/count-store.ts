import { correctionsInForce } from '@visitor-counter/database/corrections/corrections-in-force';
import { onKysely } from '@visitor-counter/database/occupancy/run-statement';
import { readCrossings } from '@visitor-counter/database/reading/crossings';
import type { Snapshot } from '@visitor-counter/database/reading/snapshot';
import { type BucketCounts, BucketFold } from './bucket-fold.ts';
import type { Bucket } from './buckets.ts';

/** Entries and exits in a bucket. */
export interface InOut {
  in: number;
  out: number;
}

export interface StoreCounts {
  readonly counts: readonly BucketCounts[];
  /** For each bucket, by the ids of the journals that counted anything. */
  readonly journals: ReadonlyMap<number, readonly InOut[]>;
}

/** Counts a store's crossings up to `now` (epoch ms) in buckets of whole business days that follow one another. */
export async function countStore(
  snapshot: Snapshot,
  storeId: number,
  buckets: readonly Bucket[],
  now: number,
): Promise<StoreCounts> {
  const from = buckets[0]?.from ?? now;
  const to = Math.max(from, Math.min(buckets.at(-1)?.to ?? now, now + 1));
  const range = { storeId, from, to };
  const [corrections = []] = await correctionsInForce(onKysely(snapshot.db), [range]);
  const fold = new BucketFold(buckets, corrections);
  const journals = new Map<number, InOut[]>();
  for await (const { crossings } of readCrossings(snapshot, [range])) {
    for (let index = 0; index < crossings.length; index += 1) {
      const signed = crossings.signedJournal[index] ?? 0;
      const bucket = fold.add(crossings.at[index] ?? 0, signed > 0 ? 1 : -1);
      const ofJournal = journals.get(Math.abs(signed)) ?? buckets.map(() => ({ in: 0, out: 0 }));
      journals.set(Math.abs(signed), ofJournal);
      const counts = ofJournal[bucket];
      if (counts && signed > 0) counts.in += 1;
      else if (counts) counts.out += 1;
    }
  }
  fold.end();
  return { counts: fold.counts, journals };
}
