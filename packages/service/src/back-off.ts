export interface BackOffOptions {
  /** ms */
  readonly first: number;
  /** ms */
  readonly longest: number;
}

/**
 * The pause after so many attempts (ms): it doubles with each, up to `longest`, and half of it is random (`random` from [0,
 * 1)) so that clients do not retry simultaneously.
 */
export function pauseAfter(attempts: number, { first, longest }: BackOffOptions, random: number): number {
  const ceiling = Math.min(first * 2 ** (attempts - 1), longest);
  return Math.round(ceiling * (0.5 + 0.5 * random));
}

/** Pauses between attempts, until one succeeds. */
export class BackOff {
  readonly #options: BackOffOptions;
  readonly #random: () => number;
  #attempts = 0;

  constructor(options: BackOffOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
  }

  /** The pause before the next attempt (ms). */
  next(): number {
    this.#attempts += 1;
    return pauseAfter(this.#attempts, this.#options, this.#random());
  }

  /** Resets the pauses after a successful attempt. */
  reset(): void {
    this.#attempts = 0;
  }
}
