import type { NewCrossing } from './record-codec.ts';

/** The crossings of one call of `add`. */
interface Added {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** How many of its crossings are still in the queue. */
  left: number;
}

/** Crossings in memory, in order, until they are written to the disk or moved to the volatile journal. */
export class WriteQueue {
  #crossings: NewCrossing[] = [];
  /** The call of `add` that added each crossing, by the same index. */
  #added: Added[] = [];

  get length(): number {
    return this.#crossings.length;
  }

  /** Resolves when all of them are removed. */
  add(crossings: readonly NewCrossing[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const added = { resolve, reject, left: crossings.length };
      for (const crossing of crossings) {
        this.#crossings.push(crossing);
        this.#added.push(added);
      }
    });
  }

  /** At most `count` from index `from` on; they stay until `remove`. */
  slice(from: number, count: number): readonly NewCrossing[] {
    return this.#crossings.slice(from, from + count);
  }

  /** Removes `count` from index `from` on: they are in a journal now. */
  remove(from: number, count: number): void {
    this.#crossings.splice(from, count);
    for (const added of this.#added.splice(from, count)) {
      added.left -= 1;
      if (added.left === 0) added.resolve();
    }
  }

  /** Empties the queue and rejects what was added. */
  fail(error: Error): void {
    this.#crossings = [];
    for (const { reject } of this.#added.splice(0)) reject(error);
  }
}
