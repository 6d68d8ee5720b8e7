import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { TokenBucket } from './token-bucket.ts';

/** Addresses in memory, and clients that have logged in from them; the least recent are evicted. */
const remembered = 20_000;

/** A login to be checked. */
export interface Login<Verdict> {
  readonly address: string;
  /** Distinguishes the clients of one address: a serial number, or a digest of a credential. */
  readonly who: string;
  /** Checks it immediately, with a lookup of its own. */
  readonly alone: () => Promise<Verdict>;
  /** Checks it together with others, so that any number of such checks costs the database little. */
  readonly batched: () => Promise<Verdict>;
  /** Whether the login was right; undefined when that is unknown or does not matter. */
  readonly isRight: (verdict: Verdict) => boolean | undefined;
}

/** The verdict, or `tooMany`: the login was wrong, after too many other wrong ones. */
export type Checked<Verdict> = { readonly verdict: Verdict } | { readonly tooMany: true };

/**
 * Bounds what wrong logins cost, per address, and never refuses a right one: thousands of clients may share one address,
 * and one of them that guesses must not lock out the others, not even just after the start of this process.
 *
 * An address may fail so many times a minute with a lookup for each login. Beyond that its logins are still checked, but
 * in batches, and a wrong one gets no verdict. Only wrong logins use up the budget. A client that has logged in from an
 * address has a budget of its own there, so that it seldom waits for a batch.
 */
export class LoginFailures {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Budgets with recent failures or logins in flight. */
  readonly #budgets = new LRUCache<string, FailureBudget>({ max: remembered });
  readonly #known = new LRUCache<string, true>({ max: remembered });

  /** `perMinute`: failed logins of one address, which may also come as a burst. `now`: epoch ms. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Checks a login. Rejects when the check does, which does not count as a failure. */
  async check<Verdict>(login: Login<Verdict>): Promise<Checked<Verdict>> {
    const attempt = this.#begin(login);
    if (attempt) return { verdict: await this.#judge(login, attempt, login.alone) };
    const verdict = await login.batched();
    const isRight = login.isRight(verdict);
    if (isRight) this.#remember(login);
    if (isRight !== false) return { verdict };
    /* In the meantime other logins may have refunded their tokens. */
    const late = this.#begin(login);
    if (late === undefined) return { tooMany: true };
    return { verdict: await this.#judge(login, late, async () => verdict) };
  }

  async #judge<Verdict>(
    login: Login<Verdict>,
    attempt: Attempt,
    check: () => Promise<Verdict>,
  ): Promise<Verdict> {
    let isRight: boolean | undefined;
    try {
      const verdict = await check();
      isRight = login.isRight(verdict);
      if (isRight) this.#remember(login);
      return verdict;
    } finally {
      if (isRight === false) attempt.budget.failed();
      else this.#refund(attempt);
    }
  }

  /** Spends a token of the login's budget; undefined when none is left. */
  #begin(login: Client): Attempt | undefined {
    const payer = this.#known.get(keyOf(login)) ? keyOf(login) : login.address;
    const budget = this.#budgets.get(payer) ?? new FailureBudget(this.#perMinute, this.#now());
    this.#budgets.set(payer, budget);
    return budget.begin(this.#now()) ? { payer, budget } : undefined;
  }

  #refund({ payer, budget }: Attempt): void {
    budget.refund(this.#now());
    if (budget.isUnused && this.#budgets.peek(payer) === budget) this.#budgets.delete(payer);
  }

  #remember(login: Client): void {
    this.#known.set(keyOf(login), true);
  }
}

type Client = Pick<Login<unknown>, 'address' | 'who'>;

function keyOf({ address, who }: Client): string {
  return `${address} ${who}`;
}

interface Attempt {
  /** The key of the budget. */
  readonly payer: string;
  readonly budget: FailureBudget;
}

/**
 * How many attempts may fail. Each spends a token when it begins, and refunds it unless it fails, so that no more
 * attempts are in flight than may still fail.
 */
class FailureBudget {
  readonly #bucket: TokenBucket;
  #inFlight = 0;

  constructor(perMinute: number, now: number) {
    this.#bucket = new TokenBucket(perMinute, perMinute / 60, now);
  }

  /** No attempt is in flight, and none has failed recently. */
  get isUnused(): boolean {
    return this.#inFlight === 0 && this.#bucket.isFull;
  }

  /** Spends a token for an attempt that begins; false when there is none. */
  begin(now: number): boolean {
    if (!this.#bucket.hasOne(now)) return false;
    this.#bucket.spend(1, now);
    this.#inFlight += 1;
    return true;
  }

  failed(): void {
    this.#inFlight -= 1;
  }

  refund(now: number): void {
    this.#inFlight -= 1;
    this.#bucket.refund(1, now);
  }
}

export interface BatchedLookupOptions {
  /** The most keys in one lookup. */
  readonly most: number;
  /** The pause between the end of a lookup and the next one (ms). */
  readonly pause: number;
}

const defaults: BatchedLookupOptions = { most: 500, pause: 5 };

/**
 * Looks up keys from many addresses, many keys at a time, one lookup after the other. However many keys there
 * are, the database runs at most one statement of `most` keys at a time; and since it alternates between
 * addresses, key by key, a flood from one address delays the others by at most one lookup.
 */
export class BatchedLookup<Key, Found> {
  readonly #lookUp: LookUp<Key, Found>;
  readonly #options: BatchedLookupOptions;
  readonly #waiting = new Map<string, Waiting<Key, Found>[]>();
  #running = false;

  constructor(lookUp: LookUp<Key, Found>, options: Partial<BatchedLookupOptions> = {}) {
    this.#lookUp = lookUp;
    this.#options = { ...defaults, ...options };
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
      await delay(this.#options.pause);
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
      if (batch.length >= this.#options.most) break;
      const next = ofAddress.shift();
      if (next) batch.push(next);
      this.#waiting.delete(address);
      if (ofAddress.length > 0) this.#waiting.set(address, ofAddress);
    }
    return batch;
  }
}

/** The found values, by key. */
export type LookUp<Key, Found> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>;

interface Waiting<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}
