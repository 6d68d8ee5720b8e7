import type { MonotonicMs } from '@visitor-counter/domain/time';
/** A light beam: `a` is on the street side, `b` on the side of the store. */
export type Line = 'a' | 'b';

/** One beam was broken, or is clear again. */
export interface Edge {
  /** On the clock of the beams (`Beams.clock`): not an instant. */
  readonly at: MonotonicMs;
  readonly line: Line;
  readonly broken: boolean;
}

/** Whether each beam is broken; undefined while that is not known. */
export interface Levels {
  readonly a: boolean | undefined;
  readonly b: boolean | undefined;
}

export function otherLine(line: Line): Line {
  return line === 'a' ? 'b' : 'a';
}

/** Reading begins, or begins again: only the present levels are known, not what happened before. */
export interface Restart {
  readonly at: MonotonicMs;
  readonly levels: Levels;
}
