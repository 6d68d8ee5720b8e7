import { type Problem, tooMany, tooManyListeners, tooManyOfCompany } from '../problems/problems.ts';

interface PlaceLimits {
  /** Places of all companies together. A company gets at most half of them. */
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
 */
export class Places {
  readonly #limits: PlaceLimits;
  /** The places that each company has. */
  readonly #held = new Map<number, number>();
  /** The requests of each company that wait, in their order; the company that was served last is the last one. */
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
    const { waiting, maxWait, refusal } = this.#limits;
    const requests = this.#waiting.get(companyId) ?? new Set();
    if (requests.size >= waiting) throw refusal();
    this.#waiting.set(companyId, requests);
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const start = () => resolve(this.#place(companyId));
    const refuse = (reason: unknown) => {
      requests.delete(start);
      reject(reason);
    };
    const onAbort = () => refuse(signal.reason);
    const late = setTimeout(() => refuse(refusal()), maxWait);
    signal.addEventListener('abort', onAbort, { once: true });
    requests.add(start);
    return await promise.finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
    });
  }

  #mayStart(companyId: number): boolean {
    const { all } = this.#limits;
    return this.#running < all && this.#heldBy(companyId) < Math.ceil(all / 2);
  }

  #heldBy(companyId: number): number {
    return this.#held.get(companyId) ?? 0;
  }

  #place(companyId: number): Disposable {
    this.#count(companyId, 1);
    return {
      [Symbol.dispose]: () => {
        this.#count(companyId, -1);
        this.#startNext();
      },
    };
  }

  #startNext(): void {
    const [next] = [...this.#waiting]
      .filter(([companyId, { size }]) => size > 0 && this.#mayStart(companyId))
      .sort(([a], [b]) => this.#heldBy(a) - this.#heldBy(b));
    if (next === undefined) return;
    const [companyId, requests] = next;
    this.#waiting.delete(companyId);
    this.#waiting.set(companyId, requests);
    for (const start of requests.values().take(1)) {
      requests.delete(start);
      start();
    }
  }

  #count(companyId: number, change: number): void {
    this.#running += change;
    this.#held.set(companyId, this.#heldBy(companyId) + change);
  }
}

/** Answers of /v1 and of the operations that are made at a time, other than ranges. */
export const answersAtATime = 8;

/** Requests of one company that wait for a place; further ones are refused immediately. */
const mostWaiting = 100;

/** The places of companies. `exports`, `streams`: how many at a time. `maxWait`: ms. */
export function companyPlaces(
  limits: { readonly exports: number; readonly streams: number },
  maxWait: number,
) {
  const waiting = { waiting: mostWaiting, maxWait };
  const seconds = Math.ceil(maxWait / 1_000);
  return {
    exports: new Places({ ...waiting, all: limits.exports, refusal: () => tooMany('exports', seconds) }),
    answers: new Places({ ...waiting, all: answersAtATime, refusal: () => tooManyOfCompany(seconds) }),
    streams: new Places({ all: limits.streams, waiting: 0, maxWait: 0, refusal: tooManyListeners }),
  };
}
