import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Edge, Levels } from '../beams/edge.ts';
import { earliest, endOfTime } from '../clock/time.ts';
import { LineDebouncer } from './debounce.ts';
import type { DetectorSettings } from './detector-settings.ts';

/**
 * Debounces both lines, and returns their edges in order of their stamps.
 *
 * An edge is held back while the other line has an undecided edge that may get an earlier stamp. `longestBounce` limits
 * how long edges are held back, and so how many.
 */
export class DebouncedEdges {
  readonly #a: LineDebouncer;
  readonly #b: LineDebouncer;
  #held: Edge[] = [];

  constructor(levels: Levels, { debounce, longestBounce }: DetectorSettings) {
    this.#a = new LineDebouncer('a', levels.a, debounce, longestBounce);
    this.#b = new LineDebouncer('b', levels.b, debounce, longestBounce);
  }

  /** Adds an edge, in order of time, and returns the edges that are certain now. */
  add(edge: Edge): readonly Edge[] {
    const certain = this.advance(edge.at);
    this.#debouncerOf(edge).add(edge.at, edge.broken);
    return certain;
  }

  /** Returns the edges that are certain if no further edge before `now` arrives. */
  advance(now: MonotonicMs): readonly Edge[] {
    if (this.#a.openSince === undefined && this.#b.openSince === undefined) return none;
    for (const debouncer of [this.#a, this.#b]) {
      const edge = debouncer.settle(now);
      if (edge) this.#held.push(edge);
    }
    return this.#held.length === 0 ? none : this.#release();
  }

  /** When the next edge becomes certain if no further edge arrives; undefined if no edge is undecided. */
  get settlesAt(): MonotonicMs | undefined {
    const { settlesAt: a } = this.#a;
    const { settlesAt: b } = this.#b;
    return a === undefined || b === undefined ? (a ?? b) : earliest(a, b);
  }

  /** No undecided edge can get an earlier stamp than this; `endOfTime` if no edge is undecided. */
  get openSince(): MonotonicMs {
    return earliest(this.#a.openSince ?? endOfTime, this.#b.openSince ?? endOfTime);
  }

  #release(): readonly Edge[] {
    const horizon = this.openSince;
    const ordered = this.#held.sort((first, second) => first.at - second.at);
    this.#held = ordered.filter((edge) => edge.at >= horizon);
    return this.#held.length === 0 ? ordered : ordered.filter((edge) => edge.at < horizon);
  }

  #debouncerOf(edge: Edge): LineDebouncer {
    return edge.line === 'a' ? this.#a : this.#b;
  }
}

const none: readonly Edge[] = [];
