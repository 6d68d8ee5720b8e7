/** A light beam: `a` is on the street side, `b` on the side of the store. */
export type Line = 'a' | 'b';

/** One beam was broken, or is clear again. */
export interface Edge {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly line: Line;
  readonly broken: boolean;
}

/** What each beam is at a moment; undefined where nothing has told yet. */
export interface Levels {
  readonly a: boolean | undefined;
  readonly b: boolean | undefined;
}

export function otherLine(line: Line): Line {
  return line === 'a' ? 'b' : 'a';
}

/** Reading begins, or begins anew: what happened before is not known, only what the beams are now. */
export interface Restart {
  readonly at: number;
  readonly levels: Levels;
}
