import type { Direction } from './crossing.ts';

/**
 * Occupancy: the people inside a store now.
 *
 * It starts at 0 at the beginning of every business day and never goes below 0: an exit at 0 leaves 0, so
 * that a missed entry does not turn into a negative shop. Everything that shows a number uses this file.
 */

/** The occupancy after one more crossing. */
export function occupancyAfter(occupancy: number, direction: Direction): number {
  return Math.max(0, occupancy + direction);
}

/**
 * What a stretch of crossings does to the occupancy before it: `x -> max(floor, x + sum)`.
 *
 * Two stretches compose into one of the same form without reading their crossings again; that is what
 * makes a late arrival cheap. A correction to n people is the stretch `sum = -Infinity, floor = n`.
 */
export interface Stretch {
  readonly sum: number;
  readonly floor: number;
}

/** The stretch without crossings; exact for every occupancy of 0 or more. */
export const emptyStretch: Stretch = { sum: 0, floor: 0 };

const entry: Stretch = { sum: 1, floor: 0 };
const exit: Stretch = { sum: -1, floor: 0 };

/** One crossing as a stretch: (1, 0) for an entry, (-1, 0) for an exit. */
export function crossingStretch(direction: Direction): Stretch {
  return direction === 1 ? entry : exit;
}

/** Staff counted `people` inside: whatever was before is forgotten. */
export function correctionStretch(people: number): Stretch {
  return { sum: Number.NEGATIVE_INFINITY, floor: people };
}

/** The stretch that does what `first` and then `second` do. */
export function composeStretches(first: Stretch, second: Stretch): Stretch {
  return { sum: first.sum + second.sum, floor: Math.max(second.floor, first.floor + second.sum) };
}

/** The occupancy at the end of a stretch that began at `occupancy` (0 or more). */
export function occupancyAtEnd(occupancy: number, stretch: Stretch): number {
  return Math.max(stretch.floor, occupancy + stretch.sum);
}

/** Something that acts on the occupancy at an instant (epoch ms): a crossing, a correction. */
export interface Act {
  readonly at: number;
  readonly stretch: Stretch;
}

/** What all acts of a period do together, and the instant (epoch ms) of the last one; -Infinity if there is none. */
export interface Folded {
  readonly stretch: Stretch;
  readonly latest: number;
}

export const nothingFolded: Folded = { stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY };

/** Adds acts, in their order, that come after those of `before`. */
export function foldActs(before: Folded, acts: readonly Act[]): Folded {
  let { stretch, latest } = before;
  for (const act of acts) {
    stretch = composeStretches(stretch, act.stretch);
    latest = act.at;
  }
  return { stretch, latest };
}
