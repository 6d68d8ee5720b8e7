import { type NewCrossing, type UnwrittenCrossing, unwritten } from './segment-format.ts';

/** A call of `append`. */
interface Call {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** How many of its crossings are still in the queue. */
  left: number;
}

/** The crossings in memory, in order, until they are in a journal; each belongs to a call of `append`. */
export class AppendQueue {
  readonly #queued: { readonly crossing: UnwrittenCrossing; readonly call: Call }[] = [];

  get length(): number {
    return this.#queued.length;
  }

  /** Resolves when all of the crossings were removed; rejects as `fail` says. */
  add(crossings: readonly NewCrossing[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const call = { resolve, reject, left: crossings.length };
    for (const crossing of crossings) this.#queued.push({ crossing: unwritten(crossing), call });
    return promise;
  }

  /** At most `most` crossings from index `from` on. */
  peek(from: number, most: number): UnwrittenCrossing[] {
    return this.#queued.slice(from, from + most).map(({ crossing }) => crossing);
  }

  /** Removes `count` crossings from index `from` on: they are in a journal now. */
  remove(from: number, count: number): void {
    for (const { call } of this.#queued.splice(from, count)) {
      call.left -= 1;
      if (call.left === 0) call.resolve();
    }
  }

  /** Removes everything: it cannot be stored. */
  fail(error: Error): void {
    for (const { call } of this.#queued.splice(0)) call.reject(error);
  }
}
