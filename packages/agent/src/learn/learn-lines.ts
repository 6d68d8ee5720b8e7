import { type Edge, type Levels, type Line, otherLine } from '../beams/edge.ts';

/** How a door's lines are wired, as its installer's walks show it. */
export interface Learned {
  /** The line that is `a` now is on the store side. */
  readonly swapped: boolean;
  /** By the names of now: a low level means broken. */
  readonly activeLow: Readonly<Record<Line, boolean>>;
}

/** Why the walks are not conclusive, for people. */
export interface NotLearned {
  readonly problem: string;
}

/** The line that changed first in a walk; undefined if only one of them changed. */
export function firstOf(walk: readonly Edge[]): Line | undefined {
  const [first] = walk;
  return first && walk.some(({ line }) => line !== first.line) ? first.line : undefined;
}

/**
 * Learns from walks inwards the level at which each of two lines rests, and which line changes first. Edges and levels are
 * electrical: `broken` means high.
 */
export function learnLines(atRest: Levels, walks: readonly (readonly Edge[])[]): Learned | NotLearned {
  const { a, b } = atRest;
  if (a === undefined || b === undefined) return { problem: 'the levels of the lines are not known' };
  for (const line of ['a', 'b'] as const) {
    const silent = walks.filter((walk) => walk.length > 0 && !walk.some((edge) => edge.line === line)).length;
    if (silent > 0) {
      return {
        problem: `beam ${line} stayed silent in ${silent} of ${walks.length} walks while ${otherLine(line)} moved: check its cable and its aim`,
      };
    }
  }
  const firsts = new Set(walks.map(firstOf));
  if (firsts.size !== 1)
    return { problem: 'the walks do not agree on which beam comes first: walk again, straight and alone' };
  // A line that rests high is pulled low by a person.
  return { swapped: firsts.has('b'), activeLow: { a, b } };
}
