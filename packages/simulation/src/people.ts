import type { Direction } from '@visitor-counter/domain/crossing';
import { clockText } from '@visitor-counter/domain/time';
import {
  addDays,
  daysBetween,
  type IsoDate,
  instantOfWallClock,
  localDateAt,
} from '@visitor-counter/domain/time-zone';
import { hashOf, seededRandom, shuffled } from './random.ts';
import type { Traffic, TrafficProfile } from './traffic-profile.ts';

/** A traffic profile, and where and when it is played. */
export interface Simulation {
  readonly profile: TrafficProfile;
  readonly timeZone: string;
  /** The local date on which day 0 is played. */
  readonly startsOn: IsoDate;
  /** Day shifts laid over one another: each plays day (n + shift) of the profile on local day n. */
  readonly overlays: readonly number[];
  /** The earliest instant of a crossing (epoch ms). */
  readonly from?: number | undefined;
  /** All crossings are before this instant (epoch ms). */
  readonly until?: number | undefined;
}

/** A person who walks through the beams. */
export interface Person {
  readonly direction: Direction;
  /** First beam breaks, second breaks, first clears, second clears (epoch ms, strictly increasing). */
  readonly times: readonly [number, number, number, number];
}

/**
 * The people of a simulation, a local day at a time, in strict order of the instants at which they cross, beginning on its
 * first day. All cross after `resumeAfter` (epoch ms): resuming after any person's instant continues with exactly the next
 * person. Throws if an interval is too short for its count.
 */
export function* peopleOf(simulation: Simulation, resumeAfter = -Infinity): Generator<Person[]> {
  const { profile, from = -Infinity, until = Infinity } = simulation;
  if (profile.traffic.size === 0) return;
  const firstDay = firstDayOf(simulation, Math.max(from, resumeAfter));
  for (const { slots, end: dayEnd } of slotsByDay(simulation, firstDay)) {
    yield slots
      .filter(({ start, end }) => end > from && end > resumeAfter && start < until)
      .flatMap(peopleOfSlot)
      .filter(({ times: [, , , at] }) => at >= from && at > resumeAfter && at < until);
    if (dayEnd >= until) return;
  }
}

/** The local day to begin with: two days early, since a local time can have moved by up to a day. */
function firstDayOf({ startsOn, timeZone }: Simulation, after: number): number {
  if (after === -Infinity) return 0;
  return Math.max(0, daysBetween(startsOn, localDateAt(after, timeZone)) - 2);
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
  if (turn < shortestTurn) throw tooMany(slot);
  const random = seededRandom(hashOf(`${slot.start}/${slot.in}/${slot.out}`));
  const directions = shuffled<Direction>(
    Array.from({ length: count }, (_, index) => (index < slot.in ? 1 : -1)),
    random,
  );
  return directions.map((direction, index) => person(direction, slot.start + index * turn, turn, random));
}

function tooMany({ start, end, in: entries, out }: Slot): Error {
  const most = Math.floor((end - start) / shortestTurn);
  return new Error(
    `${entries + out} people between ${new Date(start).toISOString()} and ${new Date(end).toISOString()}: ` +
      `at most ${most} can walk through one after the other`,
  );
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

/** People to be played between two instants (epoch ms): [`start`, `end`). */
interface Slot {
  readonly start: number;
  readonly end: number;
  readonly in: number;
  readonly out: number;
}

/** The slots of a local day, and the instant (epoch ms) at which the next one begins. */
interface DayOfSlots {
  readonly slots: readonly Slot[];
  readonly end: number;
}

/**
 * The intervals with traffic, from local day `firstDay` on, without end, in order of time, day by day.
 *
 * A local time that occurs twice is played at its first occurrence, one that does not exist moves forward. If
 * a moved interval falls on the instant of another one, also of a later day (zones that skipped a whole
 * date), the two are played as one.
 */
function* slotsByDay(simulation: Simulation, firstDay: number): Generator<DayOfSlots> {
  const { profile, timeZone, startsOn } = simulation;
  const length = profile.interval * 60_000;
  let pending = new Map<number, Slot>();
  for (let day = firstDay; ; day += 1) {
    const date = addDays(startsOn, day);
    const nextMidnight = instantOfWallClock(`${addDays(date, 1)}T00:00`, timeZone);
    for (const traffic of trafficOf(simulation, day)) {
      const start = instantOfWallClock(`${date}T${clockText(traffic.minute)}`, timeZone);
      const there = pending.get(start);
      const counts = { in: traffic.in + (there?.in ?? 0), out: traffic.out + (there?.out ?? 0) };
      pending.set(start, { start, end: start + length, ...counts });
    }
    const slots = [...pending.values()].sort((a, b) => a.start - b.start);
    const ready = slots.filter(({ start }) => start < nextMidnight);
    pending = new Map(slots.slice(ready.length).map((slot) => [slot.start, slot]));
    yield { slots: ready.map((slot, index) => endingBefore(slot, ready[index + 1])), end: nextMidnight };
  }
}

/** Two intervals start at the same instant if the clocks moved by less than one. */
function endingBefore(slot: Slot, next: Slot | undefined): Slot {
  return next && next.start < slot.end ? { ...slot, end: next.start } : slot;
}

/** The sums of all overlays on a local day, one for each minute of the day at which any has traffic. */
function trafficOf({ profile, overlays }: Simulation, day: number): Traffic[] {
  const sums = new Map<number, Traffic>();
  for (const shift of overlays) {
    const played = (((day + shift) % profile.days) + profile.days) % profile.days;
    for (const { minute, in: entries, out: exits } of profile.traffic.get(played) ?? []) {
      const sum = sums.get(minute);
      sums.set(minute, { minute, in: entries + (sum?.in ?? 0), out: exits + (sum?.out ?? 0) });
    }
  }
  return [...sums.values()].filter((sum) => sum.in + sum.out > 0);
}
