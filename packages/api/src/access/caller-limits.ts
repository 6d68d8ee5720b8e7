import type { Caller } from '@visitor-counter/database/credentials/credentials';
import { budgets, loginFailures } from '@visitor-counter/service/budgets';
import { LRUCache } from 'lru-cache';
import type { ProblemCode } from '../problems/problem-table.ts';
import { Problem, tooMany } from '../problems/problems.ts';

interface RequestLimits {
  /** Wrong credentials of one address in a minute. */
  readonly failuresPerMinute: number;
  /** Requests of one credential in a minute. */
  readonly requestsPerMinute: number;
}

/** The resolution of the last use (ms): one write in this time, however many requests there are. */
const useInterval = 60_000;

/** The number of credentials whose last use is in memory; the least recently used are evicted. */
const remembered = 20_000;

export type Admit = ReturnType<typeof callerLimits>;

/**
 * Bounds how often wrong credentials from one address are answered, and how often a credential is served. A right one is
 * served however many wrong ones come from its address. Memory is bounded, whatever callers send. `recordUse` writes in the
 * background that a credential was used.
 */
export function callerLimits(
  { failuresPerMinute, requestsPerMinute }: RequestLimits,
  now: () => number,
  recordUse: (credentialId: number, at: number) => void,
) {
  const failures = loginFailures(failuresPerMinute, now);
  const requests = budgets(requestsPerMinute, now);
  const usedAt = new LRUCache<number, number>({ max: remembered });
  /** A failed write is not retried: the next use after the interval writes again, and no answer depends on it. */
  const use = (credentialId: number) => {
    const at = now();
    if (at - (usedAt.get(credentialId) ?? Number.NEGATIVE_INFINITY) < useInterval) return;
    usedAt.set(credentialId, at);
    recordUse(credentialId, at);
  };
  /**
   * Returns the caller who was found for what was sent from `origin`. Throws `refusal` or `too_many_failures` if none was, and
   * `too_many_requests` if it is used too often.
   */
  return function admit(found: Caller | undefined, origin: string, refusal: ProblemCode): Caller {
    if (found === undefined) {
      if (failures.count(origin)) throw new Problem(refusal);
      throw tooMany('failures', failures.retryAfter);
    }
    const { credentialId } = found;
    if (!requests.count(String(credentialId))) throw tooMany('requests', requests.retryAfter);
    use(credentialId);
    return found;
  };
}
