import { LRUCache } from 'lru-cache';
import { AttemptBudget } from './attempt-budget.ts';

/** How many addresses, and who logged in from them, are remembered; the least recent are forgotten. */
const remembered = 20_000;

/** A login to be checked. */
export interface Login<Verdict> {
  readonly address: string;
  /** What distinguishes those who log in from one address: a serial number, a digest of a credential. */
  readonly who: string;
  /** Checks it at once, by a lookup of its own. */
  readonly atOnce: () => Promise<Verdict>;
  /** Checks it together with others, so that any number of such checks costs the database little. */
  readonly inTurn: () => Promise<Verdict>;
  /** Whether it was right; undefined when that is not known or does not matter. */
  readonly isRight: (verdict: Verdict) => boolean | undefined;
}

/** The verdict; without one the login was wrong, after too many others that were wrong. */
export type Checked<Verdict> = { readonly verdict: Verdict } | { readonly tooMany: true };

/**
 * Bounds what wrong logins cost, per address, and never refuses a right one: thousands may share one address, and one
 * of them that guesses must not lock the others out, not even just after the start of this process.
 *
 * An address may fail so many times a minute with a lookup for each login. Past that its logins are still checked, but
 * in batches, and a wrong one gets no verdict. Only wrong logins use up the budget. A client that has logged in from an
 * address has a budget of its own there, so that it seldom waits for a batch.
 */
export class LoginFailures {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Budgets with recent failures or logins in flight. */
  readonly #budgets = new LRUCache<string, AttemptBudget>({ max: remembered });
  readonly #known = new LRUCache<string, true>({ max: remembered });

  /** `perMinute`: failed logins of one address, which may also come all at once. `now`: epoch ms. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Checks a login. Rejects when the check does; that counts as no failure. */
  async check<Verdict>(login: Login<Verdict>): Promise<Checked<Verdict>> {
    const attempt = this.#begin(login);
    if (attempt) return { verdict: await this.#judge(login, attempt, login.atOnce) };
    const verdict = await login.inTurn();
    const isRight = login.isRight(verdict);
    if (isRight) this.#remember(login);
    if (isRight !== false) return { verdict };
    /* Meanwhile other logins may have returned their tokens. */
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
      if (isRight === false) attempt.budget.spent();
      else this.#giveBack(attempt);
    }
  }

  /** Takes a token of the budget that pays for a login; undefined when none is left. */
  #begin(login: Who): Attempt | undefined {
    const payer = this.#known.get(keyOf(login)) ? keyOf(login) : login.address;
    const budget = this.#budgets.get(payer) ?? new AttemptBudget(this.#perMinute, this.#now());
    this.#budgets.set(payer, budget);
    return budget.take(this.#now()) ? { payer, budget } : undefined;
  }

  #giveBack({ payer, budget }: Attempt): void {
    budget.giveBack(this.#now());
    if (budget.isWhole && this.#budgets.peek(payer) === budget) this.#budgets.delete(payer);
  }

  #remember(login: Who): void {
    this.#known.set(keyOf(login), true);
  }
}

type Who = Pick<Login<unknown>, 'address' | 'who'>;

function keyOf({ address, who }: Who): string {
  return `${address} ${who}`;
}

interface Attempt {
  /** Whose budget it is. */
  readonly payer: string;
  readonly budget: AttemptBudget;
}
