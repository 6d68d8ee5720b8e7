import type { Direction } from '@visitor-counter/domain/crossing';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Edge, Line, Restart } from '../beams/edge.ts';
import type { BeamState } from './beam-state.ts';
import type { Facts } from './facts.ts';

/** A crossing at a moment on the clock of the edges' stamps: it has no instant yet. */
export interface DetectedCrossing {
  readonly at: MonotonicMs;
  readonly direction: Direction;
}

/**
 * Turns edges into crossings. It has no clock: edges and `advance` move its time, which is the clock of the
 * edges' stamps. Crossings are returned in order of their moments.
 */
export interface CrossingDetector {
  /** Processes an edge, no earlier than the one before it, and returns the crossings that are certain by then. */
  edge(edge: Edge): readonly DetectedCrossing[];
  /** The crossings that are certain once no edge before `now` can come; `endOfTime` at the end of input. */
  advance(now: MonotonicMs): readonly DetectedCrossing[];
  /**
   * Processes a restart of reading: decides everything that was uncertain, and continues with the present levels. Nothing
   * is counted before all beams are clear, since it is not known who was under the beams meanwhile.
   */
  restart(restart: Restart): readonly DetectedCrossing[];
  /** When `advance` has something to decide if no edge comes before; undefined when nothing is open. */
  readonly nextDecision: MonotonicMs | undefined;
  /** What was detected in addition to crossings. */
  readonly facts: Facts;
  /** The beams that there are. */
  readonly beams: Readonly<Partial<Record<Line, BeamState>>>;
  /** The phase of the path under the beams, in a few words. */
  readonly phase: string;
  /** The beams that the path that ended last broke, in order, such as `a, both, b`; empty before the first. */
  readonly lastPath: string;
}
