import type { CorrectionInForce } from '@visitor-counter/database/occupancy/corrections-in-force';
import type { Direction } from '@visitor-counter/domain/crossing';
import { occupancyAfter } from '@visitor-counter/domain/occupancy';
import type { Bucket } from './buckets.ts';

/** A correction in a bucket, and the occupancy before it. */
export interface CorrectedNumber extends CorrectionInForce {
  readonly was: number;
}

/** What happened in a bucket. */
export interface BucketCounts {
  in: number;
  out: number;
  /** People inside at its end. */
  occupancy: number;
  /** The most people inside at any time in it. */
  peak: number;
  readonly corrections: CorrectedNumber[];
}

/**
 * Folds a store's crossings, given in order, into buckets of whole business days that follow one another. The
 * corrections, in their order, apply between them.
 */
export class BucketFold {
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

  /** Adds a crossing at an instant (epoch ms). Returns the index of its bucket. */
  add(at: number, direction: Direction): number {
    this.#correctBefore(at);
    this.#goTo(at);
    const counts = this.counts[this.#bucket];
    if (counts && direction === 1) counts.in += 1;
    else if (counts) counts.out += 1;
    this.#set(occupancyAfter(this.#occupancy, direction));
    return this.#bucket;
  }

  /** Must be called after the last crossing. */
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

  #set(occupancy: number): void {
    this.#occupancy = occupancy;
    const counts = this.counts[this.#bucket];
    if (counts === undefined) return;
    counts.occupancy = occupancy;
    counts.peak = Math.max(counts.peak, occupancy);
  }

  #goTo(at: number): void {
    while (at >= (this.#buckets[this.#bucket]?.to ?? Number.POSITIVE_INFINITY)) {
      const day = this.#buckets[this.#bucket]?.date;
      this.#bucket += 1;
      this.#set(this.#buckets[this.#bucket]?.date === day ? this.#occupancy : 0);
    }
  }
}
