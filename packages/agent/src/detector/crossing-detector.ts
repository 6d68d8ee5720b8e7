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
  /** Takes an edge, no earlier than the one before it, and gives the crossings that it makes certain. */
  edge(edge: Edge): readonly DetectedCrossing[];
  /** The crossings that are certain once no edge before `now` can come; `endOfTime` at the end of input. */
  advance(now: MonotonicMs): readonly DetectedCrossing[];
  /**
   * Reading began anew: decides what was in doubt by what is known, and takes the levels as they are now.
   * Whoever was under the beams meanwhile cannot be told, so nothing is counted before all are clear.
   */
  restart(restart: Restart): readonly DetectedCrossing[];
  /** When `advance` has something to decide if no edge comes before; undefined when nothing is open. */
  readonly nextDecision: MonotonicMs | undefined;
  /** What was seen besides crossings. */
  readonly facts: Facts;
  /** The beams that there are. */
  readonly beams: Readonly<Partial<Record<Line, BeamState>>>;
  /** What is under the beams now, in a few words. */
  readonly phase: string;
  /** The beams that the path that ended last broke, in order, such as `a, both, b`; empty before the first. */
  readonly lastPath: string;
}
