import type { Edge, Levels } from '../detector/edge.ts';

/**
 * Where edges come from: GPIO lines, a simulation, a recorded trace.
 *
 * Edges are pulled: a source gives the next batch when it is asked for it, so that nothing piles up while
 * the journal is busy. Within and across batches they are in order of their stamps.
 */
export interface Beams {
  /** The levels before the first edge. */
  readonly levels: Levels;
  /** True once everything up to the present has been given. */
  readonly live: boolean;
  /**
   * True when the source plays the same edges again after a restart, so that a crossing no later than the
   * last one in the journal is known already.
   */
  readonly repeats: boolean;
  /**
   * The present in the time of the stamps (epoch ms), up to which all edges have been given; undefined while
   * the source does not run along with a clock. Debounce and alarms then wait for the next edge.
   */
  now(): number | undefined;
  /** The batches; ends when the source is exhausted or `signal` aborts. */
  edges(signal: AbortSignal): AsyncIterable<readonly Edge[]>;
}

/** What every source is given. */
export interface BeamsStart {
  /** Instant of the last journaled crossing (epoch ms); deterministic sources continue after it. */
  readonly resumeAfter: number | undefined;
  /** The wall clock (epoch ms). */
  readonly clock: () => number;
}
