import { addressKey } from '@visitor-counter/service/address-key';
import { type BatchedLookup, LoginFailures } from '@visitor-counter/service/login-failures';
import { LRUCache } from 'lru-cache';
import type { ProblemCode } from '../problems/problem-table.ts';
import { Problem, tooMany } from '../problems/problems.ts';
import { Budgets } from './budgets.ts';

export interface RequestLimits {
  /** Wrong credentials of one address in a minute. */
  readonly failuresPerMinute: number;
  /** Requests of one credential in a minute. */
  readonly requestsPerMinute: number;
}

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
  readonly #requests: Budgets;

  readonly #usedAt = new LRUCache<number, number>({ max: 20_000 });
  readonly #recordUse: (credentialId: number, at: number) => void;

  /** `recordUse` writes in the background that a credential was used. */
  constructor(
    limits: RequestLimits,
    now: () => number,
    recordUse: (credentialId: number, at: number) => void,
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#failures = new LoginFailures(limits.failuresPerMinute, now);
    this.#requests = new Budgets(limits.requestsPerMinute, 60, now);
    this.#recordUse = recordUse;
  }

  /**
   * Returns what the credential of a request from `origin` gives access to. `sent` has its SHA-256. Throws `refusal` or
   * `too_many_failures` if it is not valid, and `too_many_requests` if it is used too often.
   */
  async admit<Sent extends { readonly hash: Buffer }, Found extends { readonly credentialId: number }>(
    sent: Sent,
    origin: string,
    lookup: BatchedLookup<Sent, Found>,
    refusal: ProblemCode,
  ): Promise<Found> {
    const address = addressKey(origin);
    const checked = await this.#failures.check({
      address,
      who: sent.hash.toString('base64'),
      alone: () => lookup.findAlone(sent),
      batched: () => lookup.find(address, sent),
      isRight: (found) => found !== undefined,
    });
    if ('tooMany' in checked) throw tooMany('failures', Math.ceil(60 / this.#limits.failuresPerMinute));
    if (checked.verdict === undefined) throw new Problem(refusal);
    const { credentialId } = checked.verdict;
    this.#requests.require(credentialId);
    this.#requests.spend(credentialId);
    this.#use(credentialId);
    return checked.verdict;
  }

  /** A failed write is not retried: the next use after the interval writes again, and no answer depends on it. */
  #use(credentialId: number): void {
    const at = this.#now();
    if (at - (this.#usedAt.get(credentialId) ?? Number.NEGATIVE_INFINITY) < useInterval) return;
    this.#usedAt.set(credentialId, at);
    this.#recordUse(credentialId, at);
  }
}
