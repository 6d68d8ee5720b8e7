import { readCrossings } from '@visitor-counter/database/crossings/crossings';
import { type CorrectionInForce, correctionsInForce } from '@visitor-counter/database/occupancy/corrections';
import {
  type CountedBuckets,
  type Counts,
  countByDevice,
  countStores,
} from '@visitor-counter/database/occupancy/count-stores';
import { quarterOf, startOfQuarter } from '@visitor-counter/database/occupancy/quarter';
import { finalUntil } from '@visitor-counter/database/retention/retention';
import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { Bucket } from '@visitor-counter/domain/buckets';
import {
  crossingStretch,
  occupancyAtEnd,
  peakOccupancy,
  type Stretch,
} from '@visitor-counter/domain/occupancy';
import { type Projected, readProjected } from './projected.ts';

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

/** What was counted in the buckets of a store: as a whole, or by the serial number of each device. */
export type Counted<Counts> = ReadonlyMap<string | undefined, readonly Counts[]>;

/** Buckets of whole business days of a store that follow one another. */
export interface StoreBuckets {
  readonly storeId: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Counts the crossings of stores of one company, each in its buckets, up to `now` (epoch ms).
 *
 * Reads the projection, and crossings only if that is not enough (`readProjected`). Memory depends on the buckets, not on
 * crossings or journals.
 */
export async function countOccupancy(
  snapshot: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
): Promise<Counted<BucketCounts>[]> {
  const final = await finalOf(snapshot, stores);
  const ranges = stores.map(({ storeId, buckets }) => rangeOf(storeId, buckets, now));
  const found = await correctionsInForce(snapshot.db, ranges);
  const counted = ranges.map((range, index) => {
    const buckets = stores[index]?.buckets ?? [];
    return { ...range, buckets, corrections: found[index] ?? [], isAligned: isAligned(buckets) };
  });
  const projected = await readProjected(snapshot.db, counted, final);
  const sums = await countStores(snapshot.db, stores.map(wantedUntil(now)), final);
  const counts: Counted<BucketCounts>[] = [];
  for (const [index, { buckets, corrections, to }] of counted.entries()) {
    const fold = new OccupancyFold(buckets, corrections);
    const own = projected[index];
    if (own) await foldProjected(snapshot, fold, own, to);
    for (const [bucket, count] of fold.counts.entries()) Object.assign(count, inBucket(sums[index], bucket));
    counts.push(new Map([[undefined, fold.counts]]));
  }
  return counts;
}

/** Folds what happened in a store until `to` (epoch ms). */
async function foldProjected(
  snapshot: Snapshot,
  fold: OccupancyFold,
  { toRead, steps }: Projected,
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

function isAligned(buckets: readonly Bucket[]): boolean {
  return buckets.every(({ from }) => from === startOfQuarter(quarterOf(from)));
}

/** The instants (epoch ms) that are counted: those of the buckets, up to `now`. */
function rangeOf(storeId: number, buckets: readonly Bucket[], now: number) {
  const from = buckets[0]?.from ?? now;
  return { storeId, from, to: Math.max(from, Math.min(buckets.at(-1)?.to ?? now, now + 1)) };
}

/** The buckets of a store that have begun, up to `now` (epoch ms). */
function wantedUntil(now: number) {
  return ({ storeId, buckets }: StoreBuckets): CountedBuckets => {
    const { to } = rangeOf(storeId, buckets, now);
    return { storeId, starts: buckets.map(({ from }) => from).filter((from) => from < to), to };
  };
}

function inBucket(counts: Counts | undefined, bucket: number): InOut {
  return { in: counts?.entries[bucket] ?? 0, out: counts?.exits[bucket] ?? 0 };
}

/** The instant (epoch ms) before which the quarter hours of the company of stores are final. */
async function finalOf({ db }: Snapshot, [first]: readonly StoreBuckets[]): Promise<number> {
  return (first && (await finalUntil(db, first.storeId))) ?? 0;
}

/**
 * Counts what each device of stores of one company, given by its serial number, counted up to `now` (epoch ms) in each
 * bucket; devices that counted nothing are left out.
 */
export async function countDevices(
  snapshot: Snapshot,
  stores: readonly StoreBuckets[],
  now: number,
): Promise<Counted<InOut>[]> {
  const found = await countByDevice(
    snapshot.db,
    stores.map(wantedUntil(now)),
    await finalOf(snapshot, stores),
  );
  return found.map((devices, index) => {
    const buckets = stores[index]?.buckets ?? [];
    return new Map(
      [...devices].map(([serial, counts]) => [serial, buckets.map((_, bucket) => inBucket(counts, bucket))]),
    );
  });
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
