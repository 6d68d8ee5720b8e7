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
 * during it, the one before it included: `x -> max(peakFloor, x + peakSum)`. A correction in it is a sum far below zero, so
 * the occupancy before has no effect.
 */
export interface Stretch {
  readonly sum: number;
  readonly floor: number;
  readonly peakSum: number;
  readonly peakFloor: number;
}

/** The occupancy after a stretch that starts at `occupancy` (0 or more). */
export function occupancyAtEnd(occupancy: number, { floor, sum }: Pick<Stretch, 'floor' | 'sum'>): number {
  return Math.max(floor, occupancy + sum);
}

/** The highest occupancy during a stretch that starts at `occupancy` (0 or more). */
export function peakOccupancy(occupancy: number, stretch: Stretch): number {
  return Math.max(stretch.peakFloor, occupancy + stretch.peakSum);
}

/** Staff counted `people` inside a store at an instant (epoch ms). */
export interface Correction {
  readonly at: number;
  readonly people: number;
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
