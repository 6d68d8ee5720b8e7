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
