import type { MonotonicMs } from '@visitor-counter/domain/time';
import { beginOfTime, earliest, endOfTime, later, latest, monotonicMs } from '../clock/time.ts';
import type { Edge } from './edge.ts';

/** How long an edge is held for others that are told later and happened before (ms). */
export const longestDelay = 50;

/**
 * Puts edges that arrive from a running program in order of their stamps. After a stall, libgpiod 1.6 tells
 * everything of one line and then everything of the other; so it is the time since an edge arrived that makes
 * it certain, not its stamp.
 *
 * Invariant: no edge leaves with a stamp before one that left, or before an instant that `certainUntil` gave.
 * An edge that comes too late for that gets the earliest stamp that is left, and is counted.
 */
export class LiveEdges {
  #held: { readonly edge: Edge; readonly arrived: MonotonicMs }[] = [];
  #passed = beginOfTime;
  late = 0;

  add(edge: Edge, arrived: MonotonicMs): void {
    const late = edge.at < this.#passed;
    if (late) this.late += 1;
    const held = late ? { ...edge, at: this.#passed } : edge;
    let place = this.#held.length;
    while (place > 0 && (this.#held[place - 1]?.edge.at ?? 0) > held.at) place -= 1;
    this.#held.splice(place, 0, { edge: held, arrived });
  }

  /** When `release` has something to give; undefined while nothing is held. */
  get dueAt(): MonotonicMs | undefined {
    if (this.#held.length === 0) return undefined;
    return later(earliest(...this.#held.map(({ arrived }) => arrived)), longestDelay);
  }

  /** The edges that are certain at `now`, in order. */
  release(now: MonotonicMs): Edge[] {
    const due = this.#held.findLastIndex(({ arrived }) => arrived + longestDelay <= now);
    const released = this.#held.splice(0, due + 1).map(({ edge }) => edge);
    this.#passed = latest(this.#passed, released.at(-1)?.at ?? this.#passed);
    return released;
  }

  /** The instant at which reading begins anew, `now` or later; nothing before it leaves any more. */
  restart(now: MonotonicMs): MonotonicMs {
    this.#passed = latest(this.#passed, monotonicMs(Math.floor(now)));
    return this.#passed;
  }

  /** Everything that is held, when nothing more can come. */
  flush(): Edge[] {
    return this.release(endOfTime);
  }

  /** Up to when everything has been given, if it is given within twice the delay of its happening. */
  certainUntil(now: MonotonicMs): MonotonicMs {
    const oldest = this.#held[0]?.edge.at ?? endOfTime;
    this.#passed = latest(this.#passed, earliest(later(now, -2 * longestDelay), oldest));
    return this.#passed;
  }
}
