import { addressKey } from '@visitor-counter/service/address-key';
import { LoginFailures } from '@visitor-counter/service/login-failures';
import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import { tooManyFailures, tooManyRequests } from '../limit-problems.ts';
import { Problem } from '../problem.ts';
import type { ApiLimits } from './read-limits.ts';

/** Of how many credentials the pace is remembered; whoever is forgotten begins anew. */
const remembered = 20_000;

/**
 * Who fails too often from one address is not looked at any more, and no credential is served more often than it
 * may be. Memory is bounded, whatever is shown.
 */
export class CallerLimits {
  readonly #limits: ApiLimits;
  readonly #now: () => number;
  readonly #failures: LoginFailures;
  readonly #paces = new LRUCache<number, TokenBucket>({ max: remembered });

  constructor(limits: ApiLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#failures = new LoginFailures(limits.failuresPerMinute, now);
  }

  /**
   * Looks at what a caller at an address shows (its SHA-256), which throws a Problem when it opens nothing.
   *
   * Throws `too_many_failures` before that, whether or not it would open something: except for what did so from
   * this address before. Throws `too_many_requests` after it.
   */
  async admit<Found extends { readonly credentialId: number }>(
    from: string,
    shown: Buffer,
    look: () => Promise<Found>,
  ): Promise<Found> {
    const address = addressKey(from);
    const who = shown.toString('base64');
    const attempt = await this.#failures.attempt(address, who);
    if (attempt === undefined) throw tooManyFailures(Math.ceil(60 / this.#limits.failuresPerMinute));
    const found = await look().catch((error: unknown) => {
      if (error instanceof Problem) attempt.failed();
      else attempt.undecided();
      throw error;
    });
    attempt.succeeded();
    this.#pace(found.credentialId);
    return found;
  }

  #pace(credentialId: number): void {
    const { requestsPerMinute } = this.#limits;
    const now = this.#now();
    const pace =
      this.#paces.get(credentialId) ?? new TokenBucket(requestsPerMinute, requestsPerMinute / 60, now);
    this.#paces.set(credentialId, pace);
    if (!pace.hasOne(now)) throw tooManyRequests(Math.ceil(60 / requestsPerMinute));
    pace.spend(1, now);
  }
}
