/** How long an answer waits for its caller. */
export interface PatienceLimits {
  /** In total, in addition to the time for its bytes at the lowest rate (ms). */
  readonly grace: number;
  /** Bytes a second, before compression. */
  readonly lowestRate: number;
}

/** The most that a fast caller can save, as a multiple of the grace: the buffers of a connection accept megabytes at once. */
const savings = 10;

/**
 * The remaining time that an answer waits for its caller: a caller that reads at the lowest rate or faster never runs
 * out of it, whatever the length, and a slower one occupies the database for a bounded time.
 */
export class Patience {
  readonly #lowestRate: number;
  readonly #most: number;
  #left: number;

  constructor({ grace, lowestRate }: PatienceLimits) {
    this.#left = grace;
    this.#most = savings * grace;
    this.#lowestRate = lowestRate;
  }

  /** ms; 0 when there is none. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** The caller read so many bytes after a wait (ms). */
  delivered(bytes: number, waited: number): void {
    this.#left = Math.min(this.#most, this.#left + (1_000 * bytes) / this.#lowestRate - waited);
  }
}
