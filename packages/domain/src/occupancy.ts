import type { BusinessDay, BusinessDays } from './business-day.ts';
import type { Direction } from './crossing.ts';

/**
 * Occupancy: the people inside a store now.
 *
 * It starts at 0 at the beginning of every business day and never goes below 0: an exit at 0 leaves 0, since the entry
 * was missed. Everything that shows an occupancy uses this file.
 */

/** The occupancy after one more crossing. */
export function occupancyAfter(occupancy: number, direction: Direction): number {
  return Math.max(0, occupancy + direction);
}

/**
 * The effect of a stretch of crossings on the occupancy before it: `x -> max(floor, x + sum)`, and the highest occupancy
 * during it, the one before it included: `x -> max(peakFloor, x + peakSum)`.
 *
 * Two stretches compose into one of the same form without reading their crossings again. A correction to n people is the
 * stretch `sum = -Infinity, floor = n`.
 */
export interface Stretch {
  readonly sum: number;
  readonly floor: number;
  readonly peakSum: number;
  readonly peakFloor: number;
}

/** The stretch without crossings; exact for every occupancy of 0 or more. */
export const emptyStretch: Stretch = { sum: 0, floor: 0, peakSum: 0, peakFloor: 0 };

const entry: Stretch = { sum: 1, floor: 0, peakSum: 1, peakFloor: 0 };
const exit: Stretch = { sum: -1, floor: 0, peakSum: 0, peakFloor: 0 };

/** One crossing as a stretch. */
export function crossingStretch(direction: Direction): Stretch {
  return direction === 1 ? entry : exit;
}

/** Staff counted `people` inside: the occupancy before has no effect. */
export function correctionStretch(people: number): Stretch {
  return { sum: Number.NEGATIVE_INFINITY, floor: people, peakSum: 0, peakFloor: people };
}

/** The stretch with the effect of `first` followed by `second`. */
export function composeStretches(first: Stretch, second: Stretch): Stretch {
  return {
    sum: first.sum + second.sum,
    floor: Math.max(second.floor, first.floor + second.sum),
    peakSum: Math.max(first.peakSum, first.sum + second.peakSum),
    peakFloor: Math.max(first.peakFloor, second.peakFloor, first.floor + second.peakSum),
  };
}

/** The occupancy after a stretch that starts at `occupancy` (0 or more). */
export function occupancyAtEnd(occupancy: number, stretch: Stretch): number {
  return Math.max(stretch.floor, occupancy + stretch.sum);
}

/** The highest occupancy during a stretch that starts at `occupancy` (0 or more). */
export function peakOccupancy(occupancy: number, stretch: Stretch): number {
  return Math.max(stretch.peakFloor, occupancy + stretch.peakSum);
}

/** A crossing or a correction: a change of the occupancy at an instant (epoch ms). */
interface Act {
  readonly at: number;
  readonly stretch: Stretch;
}

/** The effect of all acts of a period, and the instant (epoch ms) of the last one; -Infinity if there is none. */
export interface Folded {
  readonly stretch: Stretch;
  readonly latest: number;
}

export const nothingFolded: Folded = { stretch: emptyStretch, latest: Number.NEGATIVE_INFINITY };

/** The effect of `first` followed by `second`. */
export function composeFolded(first: Folded, second: Folded): Folded {
  return {
    stretch: composeStretches(first.stretch, second.stretch),
    latest: Math.max(first.latest, second.latest),
  };
}

/** Adds acts, in order, all after those of `before`. */
export function foldActs(before: Folded, acts: readonly Act[]): Folded {
  let { stretch, latest } = before;
  for (const act of acts) {
    stretch = composeStretches(stretch, act.stretch);
    latest = act.at;
  }
  return { stretch, latest };
}

/** Staff counted `people` inside a store at an instant (epoch ms). */
export interface Correction {
  readonly at: number;
  readonly people: number;
}

/**
 * Merges corrections into crossings, both in order. At the same instant a correction comes after all crossings, which the
 * person who counted has seen, and after the corrections that were entered before it.
 */
export function withCorrections(
  crossings: readonly Act[],
  corrections: readonly Correction[],
): readonly Act[] {
  if (corrections.length === 0) return crossings;
  const acts = corrections.map(({ at, people }): Act => ({ at, stretch: correctionStretch(people) }));
  return [...crossings, ...acts].sort((a, b) => a.at - b.at);
}

/**
 * Returns a function that is called with each crossing of a store in order, its instant (epoch ms) and direction, and
 * returns the occupancy after it, which starts at 0 every business day. The crossings must begin at the start of a
 * business day, and the corrections, in order, not before it.
 */
export function occupancyCounter(
  dayOf: BusinessDays,
  corrections: readonly Correction[] = [],
): (at: number, direction: Direction) => number {
  let day: BusinessDay = { date: '', start: 0, end: Number.NEGATIVE_INFINITY };
  let occupancy = 0;
  const enter = (at: number) => {
    if (at < day.end) return;
    day = dayOf(at);
    occupancy = 0;
  };
  let next = 0;
  return (at, direction) => {
    /* A correction comes after all crossings of its instant. */
    for (let due = corrections[next]; due !== undefined && due.at < at; due = corrections[next]) {
      enter(due.at);
      occupancy = due.people;
      next += 1;
    }
    enter(at);
    occupancy = occupancyAfter(occupancy, direction);
    return occupancy;
  };
}
