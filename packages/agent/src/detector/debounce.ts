import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { BeamName, Edge, Levels } from '../beams/beams.ts';
import { earliest, endOfTime, later } from '../clock/time.ts';
import type { DetectorSettings } from '../config/agent-config.ts';

/** After this time (ms) a line that is not stable is read as it is. */
const longestBounce = 100;

/**
 * Debounces one beam by the stamps of its edges.
 *
 * Edges that follow each other within `debounce` form one burst. The last level of a burst is the stable one. Its stamp is
 * that of the first edge in the burst with this level, so debouncing does not delay stamps. A burst that ends with the level
 * from before it was a spike and is ignored. A single edge to the level that the beam already has is returned: the edge
 * before it was lost.
 */
class BeamDebouncer {
  readonly #beam: BeamName;
  readonly #debounce: number;
  #level: boolean | undefined;
  #burst: Burst | undefined;

  constructor(beam: BeamName, level: boolean | undefined, debounce: number) {
    this.#beam = beam;
    this.#level = level;
    this.#debounce = debounce;
  }

  /** The earliest stamp that the undecided edge can get; `endOfTime` if no edge is undecided. */
  get undecidedSince(): MonotonicMs {
    return this.#burst?.startedAt ?? endOfTime;
  }

  /** When the undecided edge is decided if no further edge arrives; `endOfTime` if no edge is undecided. */
  get decidedAt(): MonotonicMs {
    return this.#burst ? later(this.#burst.lastAt, this.#debounce) : endOfTime;
  }

  /** Adds an edge, in order of time; call `decide(at)` first. */
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
  decide(now: MonotonicMs): Edge | undefined {
    const burst = this.#burst;
    if (burst === undefined) return undefined;
    const quiet = now >= burst.lastAt + this.#debounce;
    if (!quiet && now < burst.startedAt + longestBounce) return undefined;
    this.#burst = undefined;
    const { broken, edges, firstAt, startedAt } = burst;
    if (broken === this.#level && edges > 1) return undefined;
    const wasSpike = this.#level === undefined && edges > 1 && !broken && firstAt.broken === startedAt;
    this.#level = broken;
    if (wasSpike) return undefined;
    return { at: firstAt[broken ? 'broken' : 'clear'] ?? startedAt, beam: this.#beam, broken };
  }
}

interface Burst {
  readonly startedAt: MonotonicMs;
  lastAt: MonotonicMs;
  broken: boolean;
  edges: number;
  readonly firstAt: { broken: MonotonicMs | undefined; clear: MonotonicMs | undefined };
}

/**
 * Debounces both beams, and returns their edges in order of their stamps.
 *
 * An edge is held back while the other beam has an undecided edge that may get an earlier stamp. `longestBounce` limits
 * how long edges are held back, and so how many.
 */
export class DebouncedEdges {
  readonly #a: BeamDebouncer;
  readonly #b: BeamDebouncer;
  #held: Edge[] = [];

  constructor(levels: Levels, { debounce }: DetectorSettings) {
    this.#a = new BeamDebouncer('a', levels.a, debounce);
    this.#b = new BeamDebouncer('b', levels.b, debounce);
  }

  /** Adds an edge, in order of time, and returns the edges that are certain now. */
  add(edge: Edge): readonly Edge[] {
    const certain = this.advance(edge.at);
    const debouncer = edge.beam === 'a' ? this.#a : this.#b;
    debouncer.add(edge.at, edge.broken);
    return certain;
  }

  /** Returns the edges that are certain if no further edge before `now` arrives. */
  advance(now: MonotonicMs): readonly Edge[] {
    for (const debouncer of [this.#a, this.#b]) {
      const edge = debouncer.decide(now);
      if (edge) this.#held.push(edge);
    }
    const horizon = this.undecidedSince;
    /* Sorted, because the order of decisions depends on when this function is called. */
    const ordered = this.#held.sort((first, second) => first.at - second.at || (first.beam === 'a' ? -1 : 1));
    this.#held = ordered.filter((edge) => edge.at >= horizon);
    return ordered.filter((edge) => edge.at < horizon);
  }

  /** When the next edge becomes certain if no further edge arrives; `endOfTime` if no edge is undecided. */
  get decidedAt(): MonotonicMs {
    return earliest(this.#a.decidedAt, this.#b.decidedAt);
  }

  /** No undecided edge can get an earlier stamp than this; `endOfTime` if no edge is undecided. */
  get undecidedSince(): MonotonicMs {
    return earliest(this.#a.undecidedSince, this.#b.undecidedSince);
  }
}
