import type { Problem } from '../problems/problems.ts';

interface PlaceLimits {
  /** Places of all companies together. */
  readonly all: number;
  /** How many requests of one company wait for a place, and how long (ms). */
  readonly waiting: number;
  readonly maxWait: number;
  /** The answer to a request that gets no place. */
  readonly refusal: () => Problem;
}

/**
 * A semaphore for each company: bounds how many of its requests are answered at a time, so that no company uses up the
 * connections to the database, the memory or the processor.
 *
 * A company may have as many places as are free: alone at most half of them, and fewer the more the others have (dynamic
 * thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). So there is always a place for a
 * company that has none, until halving leaves no place for one more company.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #held = new Map<number, number>();
  /** The requests of each company that wait; the companies in the order in which they were served. */
  readonly #waiting = new Map<number, Set<() => void>>();
  #running = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Places that are taken, and requests that wait for one. */
  get load(): { readonly running: number; readonly waiting: number } {
    const waiting = this.#waiting.values().reduce((sum, { size }) => sum + size, 0);
    return { running: this.#running, waiting };
  }

  /**
   * Acquires a place for a company; `using` releases it. Companies with fewer places go first, then those that were served
   * longest ago. Throws the refusal, and the reason of `signal` when that is aborted meanwhile.
   */
  async acquire(companyId: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#mayStart(companyId)) return this.#place(companyId);
    if ((this.#waiting.get(companyId)?.size ?? 0) >= this.#limits.waiting) throw this.#limits.refusal();
    return await this.#turn(companyId, signal);
  }

  #mayStart(companyId: number): boolean {
    return this.#heldBy(companyId) < this.#limits.all - this.#running;
  }

  #heldBy(companyId: number): number {
    return this.#held.get(companyId) ?? 0;
  }

  #turn(companyId: number, signal: AbortSignal): Promise<Disposable> {
    const { maxWait, refusal } = this.#limits;
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(late);
        signal.removeEventListener('abort', onAbort);
        const others = this.#waiting.get(companyId);
        others?.delete(start);
        if (others?.size === 0) this.#waiting.delete(companyId);
      };
      const refuse = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const onAbort = () => refuse(signal.reason);
      const late = setTimeout(() => refuse(refusal()), maxWait);
      const start = () => {
        leave();
        resolve(this.#place(companyId));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(companyId, (this.#waiting.get(companyId) ?? new Set()).add(start));
    });
  }

  #place(companyId: number): Disposable {
    this.#count(companyId, 1);
    return {
      [Symbol.dispose]: () => {
        this.#count(companyId, -1);
        this.#startWaiting();
      },
    };
  }

  /** One released place may let several requests start: the limit of each company depends on what is free. */
  #startWaiting(): void {
    for (;;) {
      const [next] = [...this.#waiting]
        .filter(([companyId]) => this.#mayStart(companyId))
        .sort(([a], [b]) => this.#heldBy(a) - this.#heldBy(b));
      if (next === undefined) return;
      const [companyId, requests] = next;
      for (const start of requests.values().take(1)) start();
      /* The company goes to the end. */
      if (this.#waiting.delete(companyId)) this.#waiting.set(companyId, requests);
    }
  }

  #count(companyId: number, change: number): void {
    this.#running += change;
    const held = this.#heldBy(companyId) + change;
    if (held === 0) this.#held.delete(companyId);
    else this.#held.set(companyId, held);
  }
}
