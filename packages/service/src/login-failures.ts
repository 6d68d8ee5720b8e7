import { LRUCache } from 'lru-cache';
import { addressKey } from './address-key.ts';
import { TokenBucket } from './token-bucket.ts';

/** The most budgets in memory; the least recent are evicted. */
const remembered = 20_000;

/**
 * Counts wrong logins by address. Beyond the budget of an address a wrong one gets no verdict; a right one is never refused,
 * because thousands of clients may share an address with one that guesses. What can be guessed has at least 100 random bits.
 */
export class LoginFailures {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #budgets = new LRUCache<string, TokenBucket>({ max: remembered });

  /** `perMinute`: wrong logins of one address, which may also come as a burst. `now`: ms of any clock. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** How long until an address without budget may fail again (s). */
  get retryAfter(): number {
    return Math.ceil(60 / this.#perMinute);
  }

  isExhausted(origin: string): boolean {
    return !this.#budgetOf(origin).hasOne(this.#now());
  }

  /** Counts a wrong login of an address; false if its budget was exhausted before. */
  count(origin: string): boolean {
    if (this.isExhausted(origin)) return false;
    this.#budgetOf(origin).spend(1, this.#now());
    return true;
  }

  #budgetOf(origin: string): TokenBucket {
    const address = addressKey(origin);
    const known = this.#budgets.get(address);
    const budget = known ?? new TokenBucket(this.#perMinute, this.#perMinute / 60, this.#now());
    this.#budgets.set(address, budget);
    return budget;
  }
}
