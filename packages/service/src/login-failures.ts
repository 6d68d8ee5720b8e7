import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { TokenBucket } from './token-bucket.ts';

/** The most budgets in memory; the least recent are evicted. */
const remembered = 20_000;

/** A login to be checked. */
interface Login<Verdict> {
  readonly address: string;
  /** Checks it immediately, with its own lookup. */
  readonly alone: () => Promise<Verdict>;
  /** Checks it together with others, so that any number of such checks costs the database little. */
  readonly batched: () => Promise<Verdict>;
  /** Whether the login was right; undefined when that is unknown or does not matter. */
  readonly isRight: (verdict: Verdict) => boolean | undefined;
}

/** The verdict, or `tooMany`: the login was wrong, after too many other wrong ones. */
type Checked<Verdict> = { readonly verdict: Verdict } | { readonly tooMany: true };

/**
 * Bounds what wrong logins cost, per address, and never refuses a right one: thousands of clients may share one address, and
 * one of them that guesses must not lock out the others, not even just after the start of this process.
 *
 * An address may fail a number of times a minute with a lookup for each login. Beyond that its logins are still checked, but
 * in batches, and a wrong one gets no verdict. A login spends a token when it begins, and gets it back unless it is wrong,
 * so the logins in flight cannot fail more often than allowed.
 */
export class LoginFailures {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #budgets = new LRUCache<string, TokenBucket>({ max: remembered });

  /** `perMinute`: failed logins of one address, which may also come as a burst. `now`: ms of any clock. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Checks a login. Rejects when the check does, which does not count as a failure. */
  async check<Verdict>(login: Login<Verdict>): Promise<Checked<Verdict>> {
    const budget = this.#spend(login.address);
    if (budget) return { verdict: await this.#checkAlone(login, budget) };
    const verdict = await login.batched();
    if (login.isRight(verdict) !== false) return { verdict };
    /* In the meantime other logins may have refunded their tokens. */
    return this.#spend(login.address) ? { verdict } : { tooMany: true };
  }

  async #checkAlone<Verdict>(login: Login<Verdict>, budget: TokenBucket): Promise<Verdict> {
    let isRight: boolean | undefined;
    try {
      const verdict = await login.alone();
      isRight = login.isRight(verdict);
      return verdict;
    } finally {
      if (isRight !== false) budget.refund(1, this.#now());
    }
  }

  /** Spends a token of an address, and returns its budget; undefined if no token is left. */
  #spend(address: string): TokenBucket | undefined {
    const now = this.#now();
    const budget = this.#budgets.get(address) ?? new TokenBucket(this.#perMinute, this.#perMinute / 60, now);
    this.#budgets.set(address, budget);
    if (!budget.hasOne(now)) return undefined;
    budget.spend(1, now);
    return budget;
  }
}

/**
 * Looks up keys from many addresses, many keys at a time, one lookup after the other. However many keys there
 * are, the database runs at most one statement of `most` keys at a time; and since it alternates between
 * addresses, key by key, a flood from one address delays the others by at most one lookup.
 */
export class BatchedLookup<Key, Found> {
  readonly #lookUp: LookUp<Key, Found>;
  readonly #most: number;
  readonly #pause: number;
  readonly #waiting = new Map<string, Waiting<Key, Found>[]>();
  #running = false;

  /** `most`: keys in one lookup. `pause`: between the end of a lookup and the next one (ms). */
  constructor(lookUp: LookUp<Key, Found>, { most = 500, pause = 5 } = {}) {
    this.#lookUp = lookUp;
    this.#most = most;
    this.#pause = pause;
  }

  /** The value of a key, if any, by its own lookup. */
  async findAlone(key: Key): Promise<Found | undefined> {
    return (await this.#lookUp([key])).get(key);
  }

  /** The value of a key that came from an address, if any. Rejects when the lookup fails. */
  find(address: string, key: Key): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      const ofAddress = this.#waiting.get(address) ?? [];
      this.#waiting.set(address, ofAddress);
      ofAddress.push({ key, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      await this.#answer(this.#takeBatch());
      await delay(this.#pause);
    }
    this.#running = false;
  }

  async #answer(batch: readonly Waiting<Key, Found>[]): Promise<void> {
    try {
      const found = await this.#lookUp(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Takes keys from the addresses in rotation, until the batch is full or no key is left. */
  #takeBatch(): Waiting<Key, Found>[] {
    const batch: Waiting<Key, Found>[] = [];
    /* An address that has more keys goes to the end of the map, where the iteration reaches it again. */
    for (const [address, ofAddress] of this.#waiting) {
      if (batch.length >= this.#most) break;
      const next = ofAddress.shift();
      if (next) batch.push(next);
      this.#waiting.delete(address);
      if (ofAddress.length > 0) this.#waiting.set(address, ofAddress);
    }
    return batch;
  }
}

/** The found values, by key. */
type LookUp<Key, Found> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>;

interface Waiting<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}
