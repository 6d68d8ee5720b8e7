import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import type { StampClock } from '../clock/time.ts';
import type { GpioTools } from '../gpio/gpio-tools.ts';
import type { Edge, Levels, Restart } from './edge.ts';

/**
 * Where edges come from: GPIO lines, a simulation, a recorded trace.
 *
 * Edges are pulled: a source gives the next batch when it is asked for it, so that nothing piles up while
 * the journal is busy. Within and across batches they are in order of their stamps.
 */
export interface Beams {
  /** The levels before the first edge. */
  readonly levels: Levels;
  /** The clock of the stamps. */
  readonly stampClock: StampClock;
  /** True once everything up to the present has been given. */
  readonly live: boolean;
  /**
   * True when the source plays the same edges again after a restart, so that a crossing no later than the
   * last one in the journal is known already.
   */
  readonly repeats: boolean;
  /** How the source itself is; undefined for one that cannot fail. */
  readonly health?: BeamsHealth;
  /**
   * The present on the clock of the stamps: all edges up to it have been returned. Undefined while the source does not
   * follow a clock; then debounce and alarms wait for the next edge.
   */
  now(): MonotonicMs | undefined;
  /** The batches; ends when the source is exhausted or `signal` aborts. */
  edges(signal: AbortSignal): AsyncIterable<readonly (Edge | Restart)[]>;
}

/** How lines of real hardware do. */
export interface BeamsHealth {
  /** What keeps the lines from being read, for a person to read; undefined while they are read. */
  readonly problem: string | undefined;
  /** How often reading had to be started again. */
  readonly restarts: number;
  /** Two edges of the same kind on a line: one between them was lost. */
  readonly lostEdges: number;
  /** Edges that were told too late to be put in order. */
  readonly lateEdges: number;
}

/** What every source is given. */
export interface BeamsStart {
  /** Instant of the last journaled crossing; deterministic sources continue after it. */
  readonly resumeAfter: EpochMs | undefined;
  /** The wall clock. */
  readonly clock: () => EpochMs;
  /** Called when the lines cannot be read, with how long until it is tried again (ms), and when they can. */
  readonly onProblem?: (problem: Error, retryIn: number) => void;
  readonly onReading?: () => void;
  /** GPIO tools that are open already. */
  readonly tools?: GpioTools | undefined;
}
