import { tooManyExports } from '../problems.ts';

/**
 * Bounds how many ranges are read at a time, so that they never take all connections of the pool and small
 * requests always find one.
 */
export class ExportSlots {
  readonly #waiting: ((slot: Disposable) => void)[] = [];
  readonly #patience: number;
  readonly #slots: number;
  #free: number;

  /** `patience` (ms): how long a request waits for its turn. */
  constructor(slots: number, patience: number) {
    this.#slots = slots;
    this.#free = slots;
    this.#patience = patience;
  }

  /** Ranges that are read, and requests that wait for their turn. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#slots - this.#free, waiting: this.#waiting.length };
  }

  /** Takes a slot, in the order of asking; `using` gives it back. Throws `too_many_exports`. */
  async take(): Promise<Disposable> {
    if (this.#free === 0) return await this.#turn();
    this.#free -= 1;
    return this.#slot();
  }

  #turn(): Promise<Disposable> {
    return new Promise((resolve, reject) => {
      const turn = (slot: Disposable) => {
        clearTimeout(late);
        resolve(slot);
      };
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(tooManyExports(Math.ceil(this.#patience / 1_000)));
      }, this.#patience);
      this.#waiting.push(turn);
    });
  }

  #slot(): Disposable {
    return {
      [Symbol.dispose]: () => {
        const next = this.#waiting.shift();
        if (next === undefined) this.#free += 1;
        else next(this.#slot());
      },
    };
  }
}
