import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import { tooMany } from '../problems/problems.ts';

/** The number of credentials whose budgets are in memory; the least recently used are evicted. */
const remembered = 20_000;

/** What each credential may use of something: `most` at once, and as much again in each `period` (s). */
export class Budgets {
  readonly #most: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<number, TokenBucket>({ max: remembered });

  /** `now`: ms of any clock. */
  constructor(most: number, period: number, now: () => number) {
    this.#most = most;
    this.#perSecond = most / period;
    this.#now = now;
  }

  /** Throws `too_many_requests` if nothing is left for a credential. */
  require(credentialId: number): void {
    if (!this.#of(credentialId).hasOne(this.#now()))
      throw tooMany('requests', Math.ceil(1 / this.#perSecond));
  }

  spend(credentialId: number, amount = 1): void {
    this.#of(credentialId).spend(amount, this.#now());
  }

  #of(credentialId: number): TokenBucket {
    const known = this.#buckets.get(credentialId);
    const bucket = known ?? new TokenBucket(this.#most, this.#perSecond, this.#now());
    if (known === undefined) this.#buckets.set(credentialId, bucket);
    return bucket;
  }
}
