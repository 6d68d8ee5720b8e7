import type { NewCrossing } from './record-codec.ts';

interface Waiting {
  /** How many crossings, counted over the queue's life, have to be durable first. */
  readonly through: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Crossings on their way to the disk, in order, and who waits for them. */
export class WriteQueue {
  #crossings: NewCrossing[] = [];
  #waiting: Waiting[] = [];
  #taken = 0;

  get length(): number {
    return this.#crossings.length;
  }

  /** Whether any of them has an instant that is not settled. */
  get hasUnsettled(): boolean {
    return this.#crossings.some(({ settled }) => settled === false);
  }

  /** Resolves when `taken` has covered them. */
  add(crossings: readonly NewCrossing[]): Promise<void> {
    this.#crossings.push(...crossings);
    const through = this.#taken + this.#crossings.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ through, resolve, reject });
    });
  }

  /** The first ones, at most `count`; they stay until `taken`. */
  first(count: number): readonly NewCrossing[] {
    return this.#crossings.slice(0, count);
  }

  /** The first `count` are durable. */
  taken(count: number): void {
    this.#crossings = this.#crossings.slice(count);
    this.#taken += count;
    const open = this.#waiting.findIndex(({ through }) => through > this.#taken);
    const done = this.#waiting.splice(0, open === -1 ? this.#waiting.length : open);
    for (const { resolve } of done) resolve();
  }

  /** Gives up everything that waits. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#crossings = [];
  }
}
