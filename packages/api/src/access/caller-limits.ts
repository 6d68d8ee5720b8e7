import { addressKey } from '@visitor-counter/service/address-key';
import { type BatchedLookup, LoginFailures } from '@visitor-counter/service/login-failures';
import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import type { ProblemCode } from '../problems/problem-table.ts';
import { Problem, tooMany } from '../problems/problems.ts';

export interface RequestLimits {
  /** Wrong credentials of one address in a minute. */
  readonly failuresPerMinute: number;
  /** Requests of one credential in a minute. */
  readonly requestsPerMinute: number;
}

/** The number of credentials whose request rate is stored; the least recently used are evicted. */
const remembered = 20_000;

/** The resolution of the last use (ms): one write in this time, however many requests there are. */
const useInterval = 60_000;

/**
 * Bounds what wrong credentials from one address cost, and how often a credential is served. A right one is served
 * however many wrong ones come from its address. Memory is bounded, whatever callers send.
 */
export class CallerLimits {
  readonly #limits: RequestLimits;
  readonly #now: () => number;
  readonly #failures: LoginFailures;
  readonly #paces = new LRUCache<number, TokenBucket>({ max: remembered });

  readonly #usedAt = new Map<number, number>();
  readonly #recordUse: (credentialId: number, at: Date) => void;

  /** `recordUse` writes in the background that a credential was used. */
  constructor(limits: RequestLimits, now: () => number, recordUse: (credentialId: number, at: Date) => void) {
    this.#limits = limits;
    this.#now = now;
    this.#failures = new LoginFailures(limits.failuresPerMinute, now);
    this.#recordUse = recordUse;
  }

  /**
   * Returns what the credential of a request from `origin` gives access to. `sent` has its SHA-256. Credentials are looked up
   * in batches: any number of requests occupies one connection. Throws `refusal` or `too_many_failures` if it is not valid,
   * and `too_many_requests` if it is used too often.
   */
  async admit<Sent extends { readonly hash: Buffer }, Found extends { readonly credentialId: number }>(
    sent: Sent,
    origin: string,
    lookup: BatchedLookup<Sent, Found>,
    refusal: ProblemCode,
  ): Promise<Found> {
    const address = addressKey(origin);
    const batched = () => lookup.find(address, sent);
    const checked = await this.#failures.check({
      address,
      who: sent.hash.toString('base64'),
      alone: batched,
      batched,
      isRight: (found) => found !== undefined,
    });
    if ('tooMany' in checked) throw tooMany('failures', Math.ceil(60 / this.#limits.failuresPerMinute));
    if (checked.verdict === undefined) throw new Problem(refusal);
    this.#pace(checked.verdict.credentialId);
    this.#use(checked.verdict.credentialId);
    return checked.verdict;
  }

  #pace(credentialId: number): void {
    const { requestsPerMinute } = this.#limits;
    const now = this.#now();
    const pace =
      this.#paces.get(credentialId) ?? new TokenBucket(requestsPerMinute, requestsPerMinute / 60, now);
    this.#paces.set(credentialId, pace);
    if (!pace.hasOne(now)) throw tooMany('requests', Math.ceil(60 / requestsPerMinute));
    pace.spend(1, now);
  }

  /** A failed write is not retried: the next use after the interval writes again, and no answer depends on it. */
  #use(credentialId: number): void {
    const at = this.#now();
    if (at - (this.#usedAt.get(credentialId) ?? Number.NEGATIVE_INFINITY) < useInterval) return;
    this.#usedAt.set(credentialId, at);
    this.#recordUse(credentialId, new Date(at));
  }
}
