import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { Line } from '../beams/edge.ts';

/**
 * A path under the beams, relative to the side from which it came: `near` is the line that broke first,
 * `far` the other one.
 *
 * With `near` = a the phases near, both, far are the steps +1, +2, +3 of the Gray ring none, A, AB, B, none;
 * with `near` = b they are -1, -2, -3. Clearing the far beam from `far` completes the fourth step.
 */
export type Path = Clear | Uncertain | Passage;

/** Nothing is under the beams. */
export interface Clear {
  readonly phase: 'clear';
}

/** An obstruction that is not counted; it ends when both beams are clear. */
export interface Uncertain {
  readonly phase: 'unknown' | 'blocked';
}

/** A person is passing. */
export interface Passage {
  /**
   * - `near`, `both`, `far`: the beams that are broken now.
   * - `both-again`: a person was at the far beam alone and the near one broke again. Either a follower
   *   entered, or the first came back.
   * - `near-again`: after `both-again` the far beam cleared. Either the first person left, or went back further.
   */
  readonly phase: 'near' | 'both' | 'far' | 'both-again' | 'near-again';
  readonly near: Line;
  /** Whether both beams were broken simultaneously at some time. */
  readonly overlapped: boolean;
  /** When the near beam broke. */
  readonly startedAt: MonotonicMs;
  /** When the near beam broke again; meaningful in `both-again` and `near-again`. */
  readonly againAt: MonotonicMs;
  /** When the far beam cleared; meaningful in `near-again`. */
  readonly farClearedAt: MonotonicMs;
}

/** An edge as a path sees it. */
export type Step = 'near-breaks' | 'near-clears' | 'far-breaks' | 'far-clears';

export const clear: Clear = { phase: 'clear' };

/** The passage of a person who has just broken the first beam. */
export function passageFrom(near: Line, at: MonotonicMs): Passage {
  return {
    phase: 'near',
    near,
    overlapped: false,
    startedAt: at,
    againAt: at,
    farClearedAt: at,
  };
}
