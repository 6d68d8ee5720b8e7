import { addDays, instantOfWallClock, localDateAt } from '@visitor-counter/domain/time-zone';
import { peopleOf } from '@visitor-counter/simulation/people';
import { parseTrafficProfile } from '@visitor-counter/simulation/traffic-profile';
import { Assignments } from './assignments.ts';

/** A crossing that happened, independent of how it was processed. */
export interface TrueCrossing {
  /** Epoch ms. */
  readonly at: number;
  readonly direction: 1 | -1;
}

/** A door and all its crossings. */
export interface UnitTruth {
  readonly serial: string;
  readonly timeZone: string;
  /** The file of its simulated beams. */
  readonly profile: string;
  /** The local date of the profile's first day. */
  readonly startsOn: string;
  readonly days: number;
  /** The earliest instant of a crossing (epoch ms). */
  readonly from: number;
  /** All crossings are before this instant (epoch ms). */
  readonly until: number;
  /** People cross while the campaign runs. */
  readonly isLive: boolean;
  /** In order; the i-th gets the sequence i + 1. */
  readonly crossings: readonly TrueCrossing[];
  readonly assignments: Assignments;
}

export interface Door {
  readonly serial: string;
  readonly timeZone: string;
  readonly store: string;
}

/** Local days between the last crossing at a door of the past and the campaign. */
const daysSince = 4;

/**
 * Draws the people of a door of the past, all of whom have crossed some days before `now` (epoch ms). Throws if they
 * do not match the counts of its profile.
 */
export function drawPast(door: Door, crowd: Crowd, now: number, random: () => number): UnitTruth {
  const drawn = drawProfile(crowd, random);
  const startsOn = addDays(localDateAt(now, door.timeZone), -drawn.days - daysSince);
  const from = instantOfWallClock(`${startsOn}T00:00`, door.timeZone);
  const until = instantOfWallClock(`${addDays(startsOn, drawn.days)}T00:00`, door.timeZone);
  const truth = truthOf(door, drawn, { startsOn, from, until, isLive: false });
  const entries = truth.crossings.filter(({ direction }) => direction === 1).length;
  if (entries !== drawn.in || truth.crossings.length !== drawn.in + drawn.out) {
    throw new Error(
      `${door.serial}: ${truth.crossings.length} people, but the profile counts ${drawn.in + drawn.out}`,
    );
  }
  return truth;
}

/** The interval of profiles (s). */
const interval = 1_800;

/** Draws the people of a door who cross from `now` on, for `within` ms, about `perSecond` of them. */
export function drawLive(
  door: Door,
  { now, within, perSecond }: { readonly now: number; readonly within: number; readonly perSecond: number },
  random: () => number,
): UnitTruth {
  const rows = Array.from({ length: 48 }, (_, slot) => {
    const entries = Math.round(interval * perSecond * (0.4 + 0.2 * random()));
    const time = `${String(slot >> 1).padStart(2, '0')}:${slot % 2 === 0 ? '00' : '30'}`;
    return `0,${time},${entries},${Math.round(interval * perSecond) - entries}`;
  });
  const text = ['# days: 1', '# interval: 30', 'day,time,in,out', ...rows, ''].join('\n');
  const startsOn = localDateAt(now, door.timeZone);
  return truthOf(door, { text, days: 1 }, { startsOn, from: now, until: now + within, isLive: true });
}

function truthOf(
  { serial, timeZone, store }: Door,
  { text, days }: Pick<DrawnProfile, 'text' | 'days'>,
  when: Pick<UnitTruth, 'startsOn' | 'from' | 'until' | 'isLive'>,
): UnitTruth {
  const people = peopleOf({ profile: parseTrafficProfile(text), timeZone, overlays: [0], ...when });
  const crossings = [...people].flat().map(({ direction, times: [, , , at] }) => ({ at, direction }));
  return {
    serial,
    timeZone,
    profile: text,
    days,
    crossings,
    ...when,
    assignments: new Assignments(store),
  };
}

/** The distribution of the people at one door. */
export interface Crowd {
  readonly crossings: number;
  readonly perDay: number;
}

export interface DrawnProfile {
  /** A traffic profile as simulated beams read it. */
  readonly text: string;
  readonly days: number;
  readonly in: number;
  readonly out: number;
}

/** Intervals of half an hour in a day. */
const intervals = 48;
/** How many of them have crossings. */
const busy = 8;

/** Draws a profile with exactly as many crossings as asked for, at any hour of the day. */
export function drawProfile({ crossings, perDay }: Crowd, random: () => number): DrawnProfile {
  const rows: string[] = [];
  const sums = { in: 0, out: 0 };
  let days = 0;
  for (let left = crossings; left > 0; days += 1) {
    for (const interval of drawIntervals(random)) {
      const count = Math.min(left, 1 + Math.floor((random() * 2 * perDay) / busy));
      if (count === 0) break;
      const entries = Math.round(count * random());
      rows.push(`${days},${clockTime(interval)},${entries},${count - entries}`);
      left -= count;
      sums.in += entries;
      sums.out += count - entries;
    }
  }
  const text = [`# days: ${days}`, '# interval: 30', 'day,time,in,out', ...rows, ''].join('\n');
  return { text, days, ...sums };
}

function drawIntervals(random: () => number): Set<number> {
  return new Set(Array.from({ length: busy }, () => Math.floor(random() * intervals)));
}

function clockTime(interval: number): string {
  return `${String(interval >> 1).padStart(2, '0')}:${interval % 2 === 0 ? '00' : '30'}`;
}
