import { daysBetween, localDateAt } from '@visitor-counter/domain/time-zone';
import { type Schedule, slotsByDay } from './interval-slots.ts';
import { type Person, peopleOfSlot } from './people-of-slot.ts';
import type { TrafficProfile } from './traffic-profile.ts';

/** Which part of a schedule is played (epoch ms). */
export interface Stretch {
  /** Nobody crosses before this instant. */
  readonly from: number | undefined;
  /** Nobody crosses at or after this instant. */
  readonly until: number | undefined;
  /** Nobody crosses at or before this instant: these people were played already. */
  readonly resumeAfter: number | undefined;
}

/**
 * The people of a schedule, a local day at a time, in strict order of the instants at which they cross,
 * beginning on the schedule's first day. Starting again after any person's instant goes on with exactly the
 * next one. Throws TooManyPeople when an interval cannot hold its count.
 */
export function* peopleOf(
  profile: TrafficProfile,
  schedule: Schedule,
  stretch: Stretch,
): Generator<Person[]> {
  if (profile.traffic.size === 0) return;
  const { from = -Infinity, until = Infinity, resumeAfter = -Infinity } = stretch;
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
