import {
  addDays,
  dayOfWeek,
  type IsoDate,
  instantOfWallClock,
  localDateAt,
} from '@visitor-counter/domain/time-zone';

/** A door of the demonstration: a device and the part of the recording that its simulated beams play. */
export interface DemoDoor {
  readonly serial: string;
  readonly name: string;
  /**
   * Day shifts of the recording that are laid over one another; `[0]` is the recording as it is. None: its unit has a fault,
   * and does not run.
   */
  readonly overlays: readonly number[];
}

export interface DemoStore {
  readonly sid: string;
  readonly name: string;
  readonly address: string;
  readonly city: string;
  readonly timeZone: string;
  readonly group: string;
  readonly capacity: number | null;
  readonly doors: readonly DemoDoor[];
  /** How much of the past the units deliver: the whole recording, or this many days. */
  readonly past: 'recording' | number;
}

export const demoCompany = 'Demo Stores';

/** The store that plays the recording without changes: tests of the whole chain compare with it. */
export const recordedStore = 'Irvine Main Door';

/** Two whole weeks, so that every day has the same day of the week before to be compared with. */
const twoWeeks = 14;

/** How many days all stores have in the end, 14 months: the recording, repeated backwards. */
export const wholePast = 427;

/**
 * Stores around the world: whatever the hour, it is daytime in one of them. The recording is of an office
 * building, which is empty at weekends; the others lay some of its days over one another, so that people come on every day of
 * the week.
 */
export const demoStores: readonly DemoStore[] = [
  {
    sid: 'IRV',
    name: recordedStore,
    address: '4100 E Peltason Dr',
    city: 'Irvine',
    timeZone: 'America/Los_Angeles',
    group: 'Americas',
    capacity: 120,
    doors: [{ serial: 'CU-0001', name: 'Irvine main door', overlays: [0] }],
    past: 'recording',
  },
  {
    sid: 'NYC',
    name: 'New York Flagship',
    address: '620 5th Ave',
    city: 'New York',
    timeZone: 'America/New_York',
    group: 'Americas',
    capacity: 240,
    doors: ['North', 'East', 'South', 'West'].map((side, index) => ({
      serial: `CU-001${index + 1}`,
      name: `New York ${side} door`,
      overlays: overlays({ first: index, count: 1 }),
    })),
    past: twoWeeks,
  },
  {
    sid: 'LON',
    name: 'London Bridge',
    address: '5 Tooley St',
    city: 'London',
    timeZone: 'Europe/London',
    group: 'Europe',
    capacity: 120,
    doors: ['River', 'Street'].map((side, index) => ({
      serial: `CU-002${index + 1}`,
      name: `London ${side} door`,
      overlays: overlays({ first: index + 1, count: 1 }),
    })),
    past: twoWeeks,
  },
  {
    sid: 'SIN',
    name: 'Singapore Marina',
    address: '10 Bayfront Ave',
    city: 'Singapore',
    timeZone: 'Asia/Singapore',
    group: 'Asia-Pacific',
    capacity: 120,
    doors: [{ serial: 'CU-0031', name: 'Singapore door', overlays: overlays({ first: 1, count: 2 }) }],
    past: twoWeeks,
  },
  {
    sid: 'SYD',
    name: 'Sydney Harbour',
    address: '1 Macquarie St',
    city: 'Sydney',
    timeZone: 'Australia/Sydney',
    group: 'Asia-Pacific',
    capacity: null,
    doors: [
      { serial: 'CU-0041', name: 'Sydney door', overlays: overlays({ first: 2, count: 2 }) },
      { serial: 'CU-0042', name: 'Sydney side door', overlays: [] },
    ],
    past: twoWeeks,
  },
];

/** The doors of a store whose units run. */
export const runningDoors = ({ doors }: DemoStore) => doors.filter(({ overlays }) => overlays.length > 0);

/** Shifts by 24 days: of two that follow each other, one is always of a working day. */
function overlays({ first, count }: { first: number; count: number }): number[] {
  return Array.from({ length: count }, (_, index) => 24 * (first + index));
}

/** The recording begins on a Sunday and has 15 whole weeks. */
export const recordedDays = 105;

/**
 * The local date on which the recording's first day is played: whole weeks later than it was, so that its
 * last Saturday is the latest one before today in `timeZone`.
 */
export function firstRecordedDay(now: number, timeZone: string): IsoDate {
  const today = localDateAt(now, timeZone);
  const sinceSaturday = (dayOfWeek(today) % 7) + 1;
  return addDays(today, -sinceSaturday - (recordedDays - 1));
}

/** The instant (epoch ms) at which the local day `days` before today begins. */
export function startOfPast(now: number, timeZone: string, days: number): number {
  return instantOfWallClock(`${addDays(localDateAt(now, timeZone), -days)}T00:00`, timeZone);
}
