import { tooManyExports } from '../limit-problems.ts';

export interface SlotLimits {
  /** Ranges read at a time. */
  readonly all: number;
  /** Of them, those of one holder. */
  readonly perHolder: number;
  /** How long a request waits for its turn (ms). */
  readonly patience: number;
}

/**
 * Bounds how many ranges are read at a time, so that they never take all connections of the pool and small
 * requests always find one; and how many of them by one holder, so that nobody takes all places.
 */
export class ExportSlots {
  readonly #waiting: Waiting[] = [];
  readonly #held = new Map<number, number>();
  readonly #limits: SlotLimits;
  #running = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Ranges that are read, and requests that wait for their turn. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /**
   * Takes a slot, in the order of asking but for holders who have all of theirs; `using` gives it back. Throws
   * `too_many_exports`, and rejects with the reason of `signal` when that is aborted meanwhile.
   */
  async take(holder: number, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#mayStart(holder)) return this.#slot(holder);
    return await this.#turn(holder, signal);
  }

  #mayStart(holder: number): boolean {
    return this.#running < this.#limits.all && (this.#held.get(holder) ?? 0) < this.#limits.perHolder;
  }

  #turn(holder: number, signal: AbortSignal | undefined): Promise<Disposable> {
    const { patience } = this.#limits;
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      };
      const refuse = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const onAbort = () => refuse(signal?.reason);
      const late = setTimeout(() => refuse(tooManyExports(Math.ceil(patience / 1_000))), patience);
      const start = () => {
        leave();
        resolve(this.#slot(holder));
      };
      const waiting = { holder, start };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #slot(holder: number): Disposable {
    this.#count(holder, 1);
    return {
      [Symbol.dispose]: () => {
        this.#count(holder, -1);
        this.#waiting.find((waiting) => this.#mayStart(waiting.holder))?.start();
      },
    };
  }

  #count(holder: number, change: number): void {
    this.#running += change;
    const held = (this.#held.get(holder) ?? 0) + change;
    if (held === 0) this.#held.delete(holder);
    else this.#held.set(holder, held);
  }
}

interface Waiting {
  readonly holder: number;
  /** Takes the slot that is free. */
  start(): void;
}
