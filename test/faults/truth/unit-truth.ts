import { peopleOf } from '@visitor-counter/agent/beams/people-of';
import { parseTrafficProfile } from '@visitor-counter/agent/beams/traffic-profile';
import { addDays, instantOfWallClock } from '@visitor-counter/domain/time-zone';
import { Assignments } from './assignments.ts';
import { type Crowd, drawProfile } from './draw-profile.ts';

/** The local date on which all people begin to walk: the past on every machine. */
export const startsOn = '2020-01-01';

/** A crossing that happened, whatever anybody makes of it. */
export interface TrueCrossing {
  /** Epoch ms. */
  readonly at: number;
  readonly direction: 1 | -1;
}

/** A door and everybody who crosses it. */
export interface UnitTruth {
  readonly serial: string;
  readonly timeZone: string;
  /** The file of its simulated beams. */
  readonly profile: string;
  readonly days: number;
  /** Nobody crosses at or after this instant (epoch ms). */
  readonly until: number;
  /** In order; the i-th gets the sequence i + 1. */
  readonly crossings: readonly TrueCrossing[];
  readonly assignments: Assignments;
}

export interface Door {
  readonly serial: string;
  readonly timeZone: string;
  readonly store: string;
}

/** Draws the people of a door. Throws when they are not those that its profile counts. */
export function drawTruth(door: Door, crowd: Crowd, random: () => number): UnitTruth {
  const { serial, timeZone, store } = door;
  const drawn = drawProfile(crowd, random);
  const until = instantOfWallClock(`${addDays(startsOn, drawn.days)}T00:00`, timeZone);
  const people = peopleOf(
    parseTrafficProfile(drawn.text),
    { timeZone, startsOn, overlays: [0] },
    { from: undefined, until, resumeAfter: undefined },
  );
  const crossings = [...people].flat().map(({ direction, times: [, , , at] }) => ({ at, direction }));
  const entries = crossings.filter(({ direction }) => direction === 1).length;
  if (entries !== drawn.in || crossings.length !== drawn.in + drawn.out) {
    throw new Error(`${serial}: ${crossings.length} people, but the profile counts ${drawn.in + drawn.out}`);
  }
  return {
    ...{ serial, timeZone, until, crossings },
    ...{ profile: drawn.text, days: drawn.days, assignments: new Assignments(store) },
  };
}
