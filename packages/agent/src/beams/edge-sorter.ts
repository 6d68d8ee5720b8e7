import type { MonotonicMs } from '@visitor-counter/domain/time';
import { beginOfTime, latest } from '../clock/time.ts';
import type { Edge } from './edge.ts';

/** How late an edge may come (ms): after a stall, the kernel's events arrive out of order across lines. */
export const longestDisorder = 50;

/** An edge came more than `longestDisorder` after a later one. */
export class EdgeTooLate extends Error {
  override readonly name = 'EdgeTooLate';
  readonly code = 'edge-too-late';

  constructor(edge: Edge, newest: MonotonicMs) {
    super(
      `edge at ${edge.at} came after one at ${newest}: expected at most ${longestDisorder} ms of disorder`,
    );
  }
}

/** Sorts edges by their stamps; edges with the same stamp stay in the order in which they arrived. */
export class EdgeSorter {
  #held: Edge[] = [];
  #newest = beginOfTime;

  /** Adds an edge, and returns those that no later edge can precede. Throws EdgeTooLate. */
  add(edge: Edge): readonly Edge[] {
    if (edge.at < this.#newest - longestDisorder) throw new EdgeTooLate(edge, this.#newest);
    this.#newest = latest(this.#newest, edge.at);
    let place = this.#held.length;
    while (place > 0 && (this.#held[place - 1]?.at ?? 0) > edge.at) place -= 1;
    this.#held.splice(place, 0, edge);
    const horizon = this.#newest - longestDisorder;
    const certain = this.#held.findIndex(({ at }) => at >= horizon);
    return certain <= 0 ? [] : this.#held.splice(0, certain);
  }

  /** The edges that are left, at the end of the input. */
  flush(): readonly Edge[] {
    return this.#held.splice(0);
  }
}
