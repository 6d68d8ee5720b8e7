export interface BackOffOptions {
  /** ms */
  readonly first: number;
  /** ms */
  readonly longest: number;
}

/**
 * Pauses between attempts. They double, and half of each is random so that clients do not retry
 * simultaneously.
 */
export class BackOff {
  readonly #options: BackOffOptions;
  readonly #random: () => number;
  #next: number;

  constructor(options: BackOffOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
    this.#next = options.first;
  }

  /** The pause before the next attempt (ms). */
  next(): number {
    const ceiling = this.#next;
    this.#next = Math.min(2 * ceiling, this.#options.longest);
    return Math.round(ceiling * (0.5 + 0.5 * this.#random()));
  }

  /** Resets the pauses after a successful attempt. */
  reset(): void {
    this.#next = this.#options.first;
  }
}
