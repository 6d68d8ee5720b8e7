export interface BackOffOptions {
  /** ms */
  readonly first: number;
  /** ms */
  readonly longest: number;
}

/** Pauses between attempts: doubling, with the longer half at random so that many do not try together. */
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

  /** An attempt succeeded. */
  reset(): void {
    this.#next = this.#options.first;
  }
}
