/**
 * What may be spent: `perSecond` on and on, and up to `capacity` at once after a time of rest.
 *
 * Spending is never refused here: what is overspent is a debt, and no more should be taken on before it is
 * paid off. Times are epoch ms.
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

  /** Takes back what was spent for nothing. */
  giveBack(tokens: number, now: number): void {
    this.#fill(now);
    this.#tokens = Math.min(this.#capacity, this.#tokens + tokens);
  }

  /** How long until nothing is owed any more (ms); 0 when nothing is. */
  owes(now: number): number {
    this.#fill(now);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1_000) / this.#perSecond);
  }

  /** Whether a whole token is left. */
  hasOne(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= 1;
  }

  /** Whether nothing is left to be filled, as it was when last asked. */
  get isFull(): boolean {
    return this.#tokens === this.#capacity;
  }

  /** A clock that was set back gives nothing and takes nothing. */
  #fill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1_000;
    this.#at = now;
    this.#tokens = Math.min(this.#capacity, this.#tokens + seconds * this.#perSecond);
  }
}
