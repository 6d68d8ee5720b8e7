import type { Bucket } from '@visitor-counter/domain/buckets';
import {
  crossingStretch,
  occupancyAtEnd,
  peakOccupancy,
  type Stretch,
} from '@visitor-counter/domain/occupancy';
import { readCrossings } from '../crossings/crossings.ts';
import type { Snapshot } from '../sql/snapshot.ts';
import { type CorrectionInForce, correctionsInForce } from './corrections.ts';
import { countByDevice, countStores, type EntriesAndExits } from './count-stores.ts';
import { finalUntil } from './final-quarters.ts';
import { type OccupancySteps, readSteps } from './occupancy-steps.ts';
import { quarterOf, startOfQuarter } from './quarter.ts';

/** Entries and exits in a bucket. */
export interface InOut {
  in: number;
  out: number;
}

/** What happened in a bucket: people inside at its end, the most at any time in it, and before each correction. */
export interface BucketCounts extends InOut {
  occupancy: number;
  peak: number;
  readonly corrections: (CorrectionInForce & { readonly was: number })[];
}

/** Buckets of whole business days of a store that follow one another. */
interface StoreBuckets {
  readonly storeId: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Counts the crossings of stores of one company, each in its buckets, up to `now` (epoch ms).
 *
 * Reads the projection, and crossings only if that is not enough (`readSteps`). Memory depends on the buckets, not on
 * crossings or journals.
 */
export async function countOccupancy(
  snapshot: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
): Promise<(readonly BucketCounts[])[]> {
  const final = await finalUntil(snapshot.db, stores[0]?.storeId);
  const wanted = stores.map((store) => untilNow(store, now));
  const found = await correctionsInForce(snapshot.db, wanted);
  const ranges = wanted.map((store, index) => ({ ...store, corrections: found[index] ?? [] }));
  const steps = await readSteps(snapshot.db, ranges, final);
  const sums = await countStores(snapshot.db, wanted, final);
  const counts: (readonly BucketCounts[])[] = [];
  for (const [index, { buckets, corrections, to }] of ranges.entries()) {
    const fold = new OccupancyFold(buckets, corrections);
    const own = steps[index];
    if (own) await foldSteps(snapshot, fold, own, to);
    for (const [bucket, count] of fold.counts.entries()) Object.assign(count, inBucket(sums[index], bucket));
    counts.push(fold.counts);
  }
  return counts;
}

/**
 * Counts what each device of stores of one company, given by its serial number, counted up to `now` (epoch ms) in each
 * bucket; devices that counted nothing are left out.
 */
export async function countDevices(
  { db }: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
): Promise<ReadonlyMap<string, readonly InOut[]>[]> {
  const final = await finalUntil(db, stores[0]?.storeId);
  const wanted = stores.map((store) => untilNow(store, now));
  const found = await countByDevice(db, wanted, final);
  return found.map((devices, index) => {
    const buckets = stores[index]?.buckets ?? [];
    return new Map(
      [...devices].map(([serial, counts]) => [serial, buckets.map((_, bucket) => inBucket(counts, bucket))]),
    );
  });
}

function inBucket(counts: EntriesAndExits | undefined, bucket: number): InOut {
  return { in: counts?.entries[bucket] ?? 0, out: counts?.exits[bucket] ?? 0 };
}

/** The range that is counted, from the first bucket up to `now` (epoch ms), and the instants at which buckets begin in it. */
function untilNow({ storeId, buckets }: StoreBuckets, now: number) {
  const from = buckets[0]?.from ?? now;
  const to = Math.max(from, Math.min(buckets.at(-1)?.to ?? now, now + 1));
  const begins = buckets.map((bucket) => bucket.from);
  const isAligned = begins.every((begin) => begin === startOfQuarter(quarterOf(begin)));
  return { storeId, buckets, from, to, starts: begins.filter((begin) => begin < to), isAligned };
}

/** Folds what happened in a store until `to` (epoch ms). */
async function foldSteps(
  snapshot: Snapshot,
  fold: OccupancyFold,
  { toRead, steps }: OccupancySteps,
  to: number,
): Promise<void> {
  let step = steps.next();
  const addStepsUntil = (at: number) => {
    for (; step.value && step.value.from <= at; step = steps.next())
      fold.add(step.value.from, step.value.stretch);
  };
  for await (const { crossings } of readCrossings(snapshot, toRead)) {
    for (let index = 0; index < crossings.length; index += 1) {
      const at = crossings.at[index] ?? 0;
      addStepsUntil(at);
      fold.add(at, crossingStretch((crossings.signedJournal[index] ?? 0) > 0 ? 1 : -1));
    }
  }
  addStepsUntil(to);
  fold.end();
}

/**
 * Folds what happened in a store, given in order, into the occupancy in buckets of whole business days that follow one
 * another. The corrections, in their order, apply between crossings.
 */
class OccupancyFold {
  readonly counts: readonly BucketCounts[];
  readonly #buckets: readonly Bucket[];
  readonly #corrections: readonly CorrectionInForce[];
  #bucket = 0;
  #nextCorrection = 0;
  #occupancy = 0;

  constructor(buckets: readonly Bucket[], corrections: readonly CorrectionInForce[]) {
    this.#buckets = buckets;
    this.#corrections = corrections;
    this.counts = buckets.map(() => ({ in: 0, out: 0, occupancy: 0, peak: 0, corrections: [] }));
  }

  /** Adds a crossing, or a stretch within one bucket, at or from an instant (epoch ms). */
  add(at: number, stretch: Stretch): void {
    this.#correctBefore(at);
    this.#goTo(at);
    this.#set(occupancyAtEnd(this.#occupancy, stretch), peakOccupancy(this.#occupancy, stretch));
  }

  /** Must be called after the last one. */
  end(): void {
    this.#correctBefore(Number.POSITIVE_INFINITY);
    this.#goTo((this.#buckets.at(-1)?.to ?? 0) - 1);
  }

  /** A correction applies after all crossings of its instant. */
  #correctBefore(at: number): void {
    for (;;) {
      const correction = this.#corrections[this.#nextCorrection];
      if (correction === undefined || correction.at >= at) return;
      this.#goTo(correction.at);
      this.counts[this.#bucket]?.corrections.push({ ...correction, was: this.#occupancy });
      this.#set(correction.people);
      this.#nextCorrection += 1;
    }
  }

  #set(occupancy: number, peak = occupancy): void {
    this.#occupancy = occupancy;
    const counts = this.counts[this.#bucket];
    if (counts === undefined) return;
    counts.occupancy = occupancy;
    counts.peak = Math.max(counts.peak, peak);
  }

  #goTo(at: number): void {
    while (at >= (this.#buckets[this.#bucket]?.to ?? Number.POSITIVE_INFINITY)) {
      const day = this.#buckets[this.#bucket]?.date;
      this.#bucket += 1;
      this.#set(this.#buckets[this.#bucket]?.date === day ? this.#occupancy : 0);
    }
  }
}
