import type { Direction } from '@visitor-counter/domain/crossing';
import { daysBetween, localDateAt } from '@visitor-counter/domain/time-zone';
import { type Schedule, type Slot, slotsByDay } from './interval-slots.ts';
import { hashOf, seededRandom, shuffled } from './random.ts';
import type { TrafficProfile } from './traffic-profile.ts';

/** A person who walks through the beams. */
export interface Person {
  readonly direction: Direction;
  /** First beam breaks, second breaks, first clears, second clears (epoch ms, strictly increasing). */
  readonly times: readonly [number, number, number, number];
}

/** The part of a schedule that is played (epoch ms). */
export interface PlayedPeriod {
  /** The earliest instant of a crossing. */
  readonly from: number | undefined;
  /** All crossings are before this instant. */
  readonly until: number | undefined;
  /** All crossings are after this instant: earlier people were played already. */
  readonly resumeAfter: number | undefined;
}

/**
 * The people of a schedule, a local day at a time, in strict order of the instants at which they cross,
 * beginning on the schedule's first day. Resuming after any person's instant continues with exactly the next
 * person. Throws TooManyPeople if an interval is too short for its count.
 */
export function* peopleOf(
  profile: TrafficProfile,
  schedule: Schedule,
  period: PlayedPeriod,
): Generator<Person[]> {
  if (profile.traffic.size === 0) return;
  const { from = -Infinity, until = Infinity, resumeAfter = -Infinity } = period;
  const firstDay = firstDayOf(schedule, Math.max(from, resumeAfter));
  for (const { slots, end: dayEnd } of slotsByDay(profile, schedule, firstDay)) {
    yield slots
      .filter(({ start, end }) => end > from && end > resumeAfter && start < until)
      .flatMap(peopleOfSlot)
      .filter(({ times: [, , , at] }) => at >= from && at > resumeAfter && at < until);
    if (dayEnd >= until) return;
  }
}

/** The local day to begin with: two days early, since a local time can have moved by up to a day. */
function firstDayOf({ startsOn, timeZone }: Schedule, after: number): number {
  if (after === -Infinity) return 0;
  return Math.max(0, daysBetween(startsOn, localDateAt(after, timeZone)) - 2);
}

/** More people than can walk through one after the other in their interval. */
export class TooManyPeople extends Error {
  override readonly name = 'TooManyPeople';
  readonly code = 'too-many-people';

  constructor({ start, end, in: entries, out }: Slot) {
    const most = Math.floor((end - start) / shortestTurn);
    super(
      `${entries + out} people between ${new Date(start).toISOString()} and ${new Date(end).toISOString()}: ` +
        `at most ${most} can walk through one after the other`,
    );
  }
}

/** The shortest time slot of one person (ms): a path, and a pause longer than any debounce. */
const shortestTurn = 200;
/** The shortest pause between the paths of two people (ms): half before, half after. */
const pause = 40;
const shortestPath = 100;
const longestPath = 800;

/**
 * The people of a slot, in order of time. Each has a separate time slot, so that paths never overlap and the
 * detector sees exactly these crossings, each wholly inside the slot. The same slot always produces the same
 * people.
 */
function peopleOfSlot(slot: Slot): Person[] {
  const count = slot.in + slot.out;
  const turn = Math.floor((slot.end - slot.start) / Math.max(count, 1));
  if (turn < shortestTurn) throw new TooManyPeople(slot);
  const random = seededRandom(hashOf(`${slot.start}/${slot.in}/${slot.out}`));
  const directions = shuffled<Direction>(
    Array.from({ length: count }, (_, index) => (index < slot.in ? 1 : -1)),
    random,
  );
  return directions.map((direction, index) => person(direction, slot.start + index * turn, turn, random));
}

function person(direction: Direction, start: number, turn: number, random: () => number): Person {
  const longest = Math.min(longestPath, turn - pause);
  const path = between(shortestPath, longest, random);
  const enters = start + between(pause / 2, turn - pause / 2 - path, random);
  const reaches = enters + between(Math.ceil(path * 0.2), Math.floor(path * 0.4), random);
  const leaves = enters + between(Math.ceil(path * 0.6), Math.floor(path * 0.8), random);
  return { direction, times: [enters, reaches, leaves, enters + path] };
}

/** A whole number, `low` to `high`, both included. */
function between(low: number, high: number, random: () => number): number {
  return low + Math.floor(random() * (high - low + 1));
}
