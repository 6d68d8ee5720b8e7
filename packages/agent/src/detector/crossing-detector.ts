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
  /** Processes an edge, which must not be earlier than the previous one. Returns the crossings that are certain now. */
  edge(edge: Edge): readonly DetectedCrossing[];
  /**
   * Returns the crossings that are certain if no further edge before `now` arrives. Called with `endOfTime` at the end
   * of the input.
   */
  advance(now: MonotonicMs): readonly DetectedCrossing[];
  /**
   * Processes a restart of reading: decides everything that was uncertain, and continues with the present levels. Nothing
   * is counted before all beams are clear, since it is not known who was under the beams meanwhile.
   */
  restart(restart: Restart): readonly DetectedCrossing[];
  /** When `advance` can decide something if no edge arrives earlier; undefined if nothing is undecided. */
  readonly nextDecision: MonotonicMs | undefined;
  /** What was detected in addition to crossings. */
  readonly facts: Facts;
  /** The beams of the door: `a` and `b`, or only `a`. */
  readonly beams: Readonly<Partial<Record<Line, BeamState>>>;
  /** The phase of the path under the beams, in a few words. */
  readonly phase: string;
  /** The beams that the last completed path broke, in order, such as `a, both, b`; empty before the first path. */
  readonly lastPath: string;
}
