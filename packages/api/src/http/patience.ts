/** How long an answer waits for its caller. */
export interface PatienceLimits {
  /** In all, besides the time that its bytes take at the lowest rate (ms). */
  readonly grace: number;
  /** Bytes a second, before compression. */
  readonly lowestRate: number;
}

/** How many times the grace who is fast at first can save: the buffers of a connection take megabytes at once. */
const savings = 10;

/**
 * What is left of the time that an answer waits for its caller: who takes it in at the lowest rate or faster never
 * runs out of it, whatever the length, and who takes it in more slowly holds the database for a bounded time.
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

  /** The caller took so many bytes after so long a wait (ms). */
  taken(bytes: number, waited: number): void {
    this.#left = Math.min(this.#most, this.#left + (1_000 * bytes) / this.#lowestRate - waited);
  }
}
