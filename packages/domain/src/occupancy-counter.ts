import type { BusinessDay, BusinessDays } from './business-day.ts';
import type { Direction } from './crossing.ts';
import type { Correction } from './occupancy.ts';
import { occupancyAfter } from './occupancy.ts';

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
