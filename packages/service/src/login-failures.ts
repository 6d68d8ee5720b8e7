import { LRUCache } from 'lru-cache';
import { addressKey } from './address-key.ts';
import { TokenBucket } from './token-bucket.ts';

/** The most budgets in memory; the least recent are evicted. */
const remembered = 20_000;

export type LoginFailures = ReturnType<typeof loginFailures>;

/**
 * Counts wrong logins by address. Beyond the budget of an address a wrong one gets no verdict; a right one is never refused,
 * because thousands of clients may share an address with one that guesses. What can be guessed has at least 100 random bits.
 *
 * `perMinute`: wrong logins of one address, which may also come as a burst. `now`: ms of any clock.
 */
export function loginFailures(perMinute: number, now: () => number) {
  const budgets = new LRUCache<string, TokenBucket>({ max: remembered });
  const budgetOf = (origin: string): TokenBucket => {
    const address = addressKey(origin);
    const budget = budgets.get(address) ?? new TokenBucket(perMinute, perMinute / 60, now());
    budgets.set(address, budget);
    return budget;
  };
  const isExhausted = (origin: string) => !budgetOf(origin).hasOne(now());
  return {
    /** How long until an address without budget may fail again (s). */
    retryAfter: Math.ceil(60 / perMinute),
    isExhausted,
    /** Counts a wrong login of an address; false if its budget was exhausted before. */
    count: (origin: string): boolean => {
      if (isExhausted(origin)) return false;
      budgetOf(origin).spend(1, now());
      return true;
    },
  };
}
