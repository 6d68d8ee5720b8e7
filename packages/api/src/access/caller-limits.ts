import type { Caller } from '@visitor-counter/database/credentials/credentials';
import { type Budgets, budgets, loginFailures } from '@visitor-counter/service/budgets';
import { LRUCache } from 'lru-cache';
import type { ProblemCode } from '../problems/problem-table.ts';
import { Problem, tooMany } from '../problems/problems.ts';

export interface RequestLimits {
  /** Wrong credentials of one address in a minute. */
  readonly failuresPerMinute: number;
  /** Requests of one credential in a minute. */
  readonly requestsPerMinute: number;
}

/** The resolution of the last use (ms): one write in this time, however many requests there are. */
const useInterval = 60_000;

/** The number of credentials that are in memory; the least recently used are evicted. */
const remembered = 20_000;

/**
 * Bounds how often wrong credentials from one address are answered, and how often a credential is served. A right one is
 * served however many wrong ones come from its address. Memory is bounded, whatever callers send.
 */
export class CallerLimits {
  readonly #now: () => number;
  readonly #failures: Budgets;
  readonly #requests: Budgets;
  readonly #usedAt = new LRUCache<number, number>({ max: remembered });
  readonly #recordUse: (credentialId: number, at: number) => void;

  /** `recordUse` writes in the background that a credential was used. */
  constructor(
    limits: RequestLimits,
    now: () => number,
    recordUse: (credentialId: number, at: number) => void,
  ) {
    this.#now = now;
    this.#failures = loginFailures(limits.failuresPerMinute, now);
    this.#requests = budgets(limits.requestsPerMinute, now);
    this.#recordUse = recordUse;
  }

  /**
   * Returns the caller who was found for what was sent from `origin`. Throws `refusal` or `too_many_failures` if none was, and
   * `too_many_requests` if it is used too often.
   */
  admit(found: Caller | undefined, origin: string, refusal: ProblemCode): Caller {
    if (found === undefined) {
      if (this.#failures.count(origin)) throw new Problem(refusal);
      throw tooMany('failures', this.#failures.retryAfter);
    }
    const { credentialId } = found;
    if (!this.#requests.count(String(credentialId))) throw tooMany('requests', this.#requests.retryAfter);
    this.#use(credentialId);
    return found;
  }

  /** A failed write is not retried: the next use after the interval writes again, and no answer depends on it. */
  #use(credentialId: number): void {
    const at = this.#now();
    if (at - (this.#usedAt.get(credentialId) ?? Number.NEGATIVE_INFINITY) < useInterval) return;
    this.#usedAt.set(credentialId, at);
    this.#recordUse(credentialId, at);
  }
}
