import { LRUCache } from 'lru-cache';
import { TokenBucket } from './token-bucket.ts';

/** How many addresses, and who logged in from them, are remembered; the least recent are forgotten. */
const remembered = 20_000;

/**
 * Bounds how often logins may fail from one address, so that guessing and misconfigured clients cost the
 * database little.
 *
 * Who has logged in from an address has a budget of their own there: behind one address may stand thousands,
 * and one of them that fails must not keep the others out.
 */
export class LoginFailures {
  readonly #perMinute: number;
  readonly #budgets = new LRUCache<string, TokenBucket>({ max: remembered });
  readonly #known = new LRUCache<string, true>({ max: remembered });

  /** `perMinute`: failed logins of one address, which may also come all at once. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Whether a login may be tried (`now` in epoch ms). */
  mayTry(address: string, who: string, now: number): boolean {
    return this.#budgets.get(this.#payer(address, who))?.hasOne(now) ?? true;
  }

  failed(address: string, who: string, now: number): void {
    const payer = this.#payer(address, who);
    const budget = this.#budgets.get(payer) ?? new TokenBucket(this.#perMinute, this.#perMinute / 60, now);
    this.#budgets.set(payer, budget);
    budget.spend(1, now);
  }

  succeeded(address: string, who: string): void {
    this.#known.set(`${address} ${who}`, true);
  }

  #payer(address: string, who: string): string {
    const known = `${address} ${who}`;
    return this.#known.get(known) ? known : address;
  }
}
