import { LRUCache } from 'lru-cache';
import { AttemptBudget } from './attempt-budget.ts';

/** How many addresses, and who logged in from them, are remembered; the least recent are forgotten. */
const remembered = 20_000;

/** A login that may be tried. Exactly one of these is to be told, once, however it ends. */
export interface LoginAttempt {
  succeeded(): void;
  failed(): void;
  /** It is not known whether it would have succeeded, or it does not matter here. */
  undecided(): void;
}

/**
 * Bounds how often logins may fail from one address, so that guessing and misconfigured clients cost the
 * database little, also when all their logins come at the same moment.
 *
 * Who has logged in from an address has a budget of their own there: behind one address may stand thousands,
 * and one of them that fails must not keep the others out.
 */
export class LoginFailures {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Of those who have failed of late, or whose logins are under way. */
  readonly #budgets = new LRUCache<string, AttemptBudget>({ max: remembered });
  readonly #known = new LRUCache<string, true>({ max: remembered });

  /** `perMinute`: failed logins of one address, which may also come all at once. `now`: epoch ms. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /**
   * Resolves as soon as a login may be tried, with undefined when too many have failed. While all that may still fail
   * are under way, it waits for how they end: the units behind one address may all come at once.
   */
  async attempt(address: string, who: string): Promise<LoginAttempt | undefined> {
    const payer = this.#payer(address, who);
    const budget = this.#budgets.get(payer) ?? new AttemptBudget(this.#perMinute, this.#now());
    this.#budgets.set(payer, budget);
    if (!(await budget.take(this.#now()))) return undefined;
    return {
      succeeded: () => {
        this.#known.set(`${address} ${who}`, true);
        this.#giveBack(payer, budget);
      },
      failed: () => budget.spent(this.#now()),
      undecided: () => this.#giveBack(payer, budget),
    };
  }

  #giveBack(payer: string, budget: AttemptBudget): void {
    budget.giveBack(this.#now());
    if (budget.isWhole && this.#budgets.peek(payer) === budget) this.#budgets.delete(payer);
  }

  #payer(address: string, who: string): string {
    const known = `${address} ${who}`;
    return this.#known.get(known) ? known : address;
  }
}
