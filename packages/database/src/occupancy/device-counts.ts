import type { Direction } from '@visitor-counter/domain/crossing';

/** What each device, by its id, has counted; stored as JSON. */
export type DeviceCounts = Readonly<Record<number, readonly [entries: number, exits: number]>>;

/** Counts one more crossing. */
export function addCrossing(
  counts: Record<number, [entries: number, exits: number]>,
  device: number,
  direction: Direction,
): void {
  counts[device] ??= [0, 0];
  counts[device][direction === 1 ? 0 : 1] += 1;
}

/** The sums of both. */
export function sumOfCounts(first: DeviceCounts, second: DeviceCounts): DeviceCounts {
  const sums: Record<number, readonly [number, number]> = { ...first };
  for (const [device, entries, exits] of listOfCounts(second)) {
    const [entriesBefore, exitsBefore] = first[device] ?? [0, 0];
    sums[device] = [entriesBefore + entries, exitsBefore + exits];
  }
  return sums;
}

/** By the ids of the devices. */
export function listOfCounts(counts: DeviceCounts): [device: number, entries: number, exits: number][] {
  return Object.entries(counts).map(([device, [entries, exits]]) => [Number(device), entries, exits]);
}
