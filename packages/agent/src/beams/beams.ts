import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import type { StampClock } from '../clock/time.ts';

/** The light beams of a door: `a` is on the street side, `b` on the side of the store. */
export type BeamName = 'a' | 'b';

/** One beam was broken, or is clear again. */
export interface Edge {
  /** On the clock that `Beams.stampClock` names: not an instant. */
  readonly at: MonotonicMs;
  readonly beam: BeamName;
  readonly broken: boolean;
}

/** Whether each beam is broken; undefined while that is not known. */
export type Levels = Readonly<Record<BeamName, boolean | undefined>>;

export const unknownLevels: Levels = { a: undefined, b: undefined };

export function otherBeam(beam: BeamName): BeamName {
  return beam === 'a' ? 'b' : 'a';
}

/** Reading begins, or begins again: only the present levels are known, not what happened before. */
export interface Restart {
  readonly at: MonotonicMs;
  readonly levels: Levels;
}

/**
 * A source of edges: GPIO lines, a simulation, a recorded trace.
 *
 * The caller pulls edges: a source reads the next batch when the caller requests it. Edges are in order of their stamps,
 * within batches and across them.
 */
export interface Beams {
  /** The levels before the first edge. */
  readonly levels: Levels;
  /** The clock of the stamps. */
  readonly stampClock: StampClock;
  /** True once all edges up to the present have been returned. */
  readonly live: boolean;
  /**
   * True when the source plays the same edges again after a restart: then a crossing that is not later than the last one in
   * the journal is already in it.
   */
  readonly repeats: boolean;
  /** The state of the source itself; undefined for one that cannot fail. */
  readonly health?: BeamsHealth | undefined;
  /**
   * The present on the clock of the stamps: all edges up to it have been returned. Undefined while the source does not
   * follow a clock; then debounce and alarms wait for the next edge.
   */
  now(): MonotonicMs | undefined;
  /**
   * The batches; ends when the source is exhausted or `signal` aborts. A deterministic source continues after `resumeAfter`, the
   * instant of the last journaled crossing.
   */
  edges(signal: AbortSignal, resumeAfter?: EpochMs): AsyncIterable<readonly (Edge | Restart)[]>;
}

/** The state of real lines. */
export interface BeamsHealth {
  /** Why the lines cannot be read, as text for the operator; undefined while they are read. */
  readonly problem: string | undefined;
  /** How often reading was started again. */
  readonly restarts: number;
  /** Two edges of the same kind on a line: one between them was lost. */
  readonly lostEdges: number;
  /** Edges that were reported too late to have their own stamps. */
  readonly lateEdges: number;
}

/** What a source calls. */
export interface BeamsCalls {
  /** Called when the lines cannot be read, with the time until the next attempt (ms). */
  readonly onProblem?: (problem: Error, retryIn: number) => void;
  /** Called when the lines are read. */
  readonly onReading?: () => void;
}
