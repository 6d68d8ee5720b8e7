import type { Direction } from '@visitor-counter/domain/crossing';

/** Entries and exits of one door. */
export interface InOut {
  readonly entries: number;
  readonly exits: number;
}

/** What each device, by its id, has counted. */
export type DeviceCounts = ReadonlyMap<number, InOut>;

export const nothingCounted: DeviceCounts = new Map();

/** The same as it is stored, as JSON. */
export type CountList = readonly (readonly [device: number, entries: number, exits: number])[];

export function listOfCounts(counts: DeviceCounts): CountList {
  return [...counts].map(([device, { entries, exits }]) => [device, entries, exits]);
}

export function countsOfList(list: CountList): DeviceCounts {
  return new Map(list.map(([device, entries, exits]) => [device, { entries, exits }]));
}

/** Counts one more crossing. */
export function addCrossing(counts: Map<number, InOut>, device: number, direction: Direction): void {
  const { entries, exits } = counts.get(device) ?? { entries: 0, exits: 0 };
  counts.set(device, direction === 1 ? { entries: entries + 1, exits } : { entries, exits: exits + 1 });
}

/** The sums of both. */
export function sumOfCounts(first: DeviceCounts, second: DeviceCounts): DeviceCounts {
  const sums = new Map(first);
  for (const [device, { entries, exits }] of second) {
    const before = sums.get(device) ?? { entries: 0, exits: 0 };
    sums.set(device, { entries: before.entries + entries, exits: before.exits + exits });
  }
  return sums;
}
