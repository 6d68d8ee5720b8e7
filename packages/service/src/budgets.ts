import { LRUCache } from 'lru-cache';
import { addressKey } from './address-key.ts';
import { TokenBucket } from './token-bucket.ts';

/** The most budgets in memory; the least recent are evicted. */
const remembered = 20_000;

export type Budgets = ReturnType<typeof budgets>;

/**
 * A budget for everyone who is counted, by the key of their name. `perMinute`: what each may spend, which may also come as a
 * burst. `now`: ms of any clock.
 */
export function budgets(perMinute: number, now: () => number, keyOf = (name: string) => name) {
  const byKey = new LRUCache<string, TokenBucket>({ max: remembered });
  const budgetOf = (name: string): TokenBucket => {
    const key = keyOf(name);
    const budget = byKey.get(key) ?? new TokenBucket(perMinute, perMinute / 60, now());
    byKey.set(key, budget);
    return budget;
  };
  const isExhausted = (name: string) => !budgetOf(name).hasOne(now());
  return {
    /** How long until there is something in a budget that was exhausted (s). */
    retryAfter: Math.ceil(60 / perMinute),
    isExhausted,
    /** Counts one; false if the budget was exhausted before. */
    count: (name: string): boolean => {
      if (isExhausted(name)) return false;
      budgetOf(name).spend(1, now());
      return true;
    },
  };
}

/**
 * Counts wrong logins by address. Beyond the budget of an address a wrong one gets no verdict; a right one is never refused,
 * because thousands of clients may share an address with one that guesses. What can be guessed has at least 100 random bits.
 */
export function loginFailures(perMinute: number, now: () => number): Budgets {
  return budgets(perMinute, now, addressKey);
}
