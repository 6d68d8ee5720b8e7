import { TokenBucket } from './token-bucket.ts';

/**
 * How many attempts may fail. Each takes a token before it begins and returns it unless it fails, so that no more
 * attempts are in flight than may still fail.
 */
export class AttemptBudget {
  readonly #bucket: TokenBucket;
  #inFlight = 0;

  constructor(perMinute: number, now: number) {
    this.#bucket = new TokenBucket(perMinute, perMinute / 60, now);
  }

  /** No attempt is in flight and none has failed lately. */
  get isWhole(): boolean {
    return this.#inFlight === 0 && this.#bucket.isFull;
  }

  /** Takes a token for an attempt that begins; false when there is none. */
  take(now: number): boolean {
    if (!this.#bucket.hasOne(now)) return false;
    this.#bucket.spend(1, now);
    this.#inFlight += 1;
    return true;
  }

  /** An attempt has failed. */
  spent(): void {
    this.#inFlight -= 1;
  }

  /** An attempt has not failed. */
  giveBack(now: number): void {
    this.#inFlight -= 1;
    this.#bucket.giveBack(1, now);
  }
}
