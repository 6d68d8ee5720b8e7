import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Edge, Line } from '../beams/edge.ts';
import { later } from '../clock/time.ts';

/**
 * Debounces one line by the stamps of its edges.
 *
 * Edges that follow each other within `debounce` form one burst. The last level of a burst is the stable one.
 * Its stamp is that of the first edge in the burst with this level, so debouncing does not delay stamps. A
 * burst that ends with the level from before it was a spike and is ignored. A single edge to the level that
 * the line already has is returned, because an edge before it was lost.
 */
export class LineDebouncer {
  readonly #line: Line;
  readonly #debounce: number;
  readonly #longestBounce: number;
  #level: boolean | undefined;
  #burst: Burst | undefined;

  constructor(line: Line, level: boolean | undefined, debounce: number, longestBounce: number) {
    this.#line = line;
    this.#level = level;
    this.#debounce = debounce;
    this.#longestBounce = longestBounce;
  }

  /** The earliest stamp that the undecided edge can get; undefined if no edge is undecided. */
  get openSince(): MonotonicMs | undefined {
    return this.#burst?.startedAt;
  }

  /** When the undecided edge is decided if no further edge arrives. */
  get settlesAt(): MonotonicMs | undefined {
    return this.#burst && later(this.#burst.lastAt, this.#debounce);
  }

  /** Adds an edge, in order of time; call `settle(at)` first. */
  add(at: MonotonicMs, broken: boolean): void {
    const burst = this.#burst;
    if (burst === undefined) {
      const firstAt = broken ? { broken: at, clear: undefined } : { broken: undefined, clear: at };
      this.#burst = { startedAt: at, lastAt: at, broken, edges: 1, firstAt };
      return;
    }
    burst.lastAt = at;
    burst.broken = broken;
    burst.edges += 1;
    burst.firstAt[broken ? 'broken' : 'clear'] ??= at;
  }

  /** The edge that is certain at `now`, if there is one. */
  settle(now: MonotonicMs): Edge | undefined {
    const burst = this.#burst;
    if (burst === undefined) return undefined;
    const quiet = now >= burst.lastAt + this.#debounce;
    if (!quiet && now < burst.startedAt + this.#longestBounce) return undefined;
    this.#burst = undefined;
    const { broken, edges, firstAt, startedAt } = burst;
    if (broken === this.#level && edges > 1) return undefined;
    const wasSpike = this.#level === undefined && edges > 1 && !broken && firstAt.broken === startedAt;
    this.#level = broken;
    if (wasSpike) return undefined;
    return { at: firstAt[broken ? 'broken' : 'clear'] ?? startedAt, line: this.#line, broken };
  }
}

interface Burst {
  readonly startedAt: MonotonicMs;
  lastAt: MonotonicMs;
  broken: boolean;
  edges: number;
  readonly firstAt: { broken: MonotonicMs | undefined; clear: MonotonicMs | undefined };
}
