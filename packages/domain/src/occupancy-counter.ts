import type { BusinessDay } from './business-day.ts';
import type { BusinessDays } from './business-days.ts';
import type { Correction } from './correction.ts';
import type { Direction } from './crossing.ts';
import { occupancyAfter } from './occupancy.ts';

/**
 * Folds one store's crossings, given in order by their instants (epoch ms) and directions, into the occupancy
 * after each of them, starting anew at every business day. The crossings must begin at the start of a business
 * day, and the corrections, in their order, not before it.
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
    /* A correction acts behind all crossings of its instant. */
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
