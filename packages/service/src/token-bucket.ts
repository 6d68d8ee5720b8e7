/**
 * A token bucket: `perSecond` tokens continuously, and a burst of up to `capacity` after a pause.
 *
 * Spending is never refused: tokens overspent are a debt, and the caller should wait until it is paid off. `now` is ms of
 * any clock, always of the same one.
 */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  constructor(capacity: number, perSecond: number, now: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
    this.#at = now;
  }

  spend(tokens: number, now: number): void {
    this.#fill(now);
    this.#tokens -= tokens;
  }

  /** How long until the debt is paid off (ms); 0 without a debt. */
  waitFor(now: number): number {
    this.#fill(now);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1_000) / this.#perSecond);
  }

  /** Whether a whole token is left. */
  hasOne(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= 1;
  }

  /** A clock that is set back neither adds nor removes tokens. */
  #fill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1_000;
    this.#at = now;
    this.#tokens = Math.min(this.#capacity, this.#tokens + seconds * this.#perSecond);
  }
}
