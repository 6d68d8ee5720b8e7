import { compareCrossings, type Direction, type KeyedCrossing } from '@visitor-counter/domain/crossing';
import { composeStretches, crossingStretch, type Stretch } from '@visitor-counter/domain/occupancy';
import { type Connection, runStatement } from '../sql/run-statement.ts';
import { keyOfQuarter, type Quarter, quarterOf } from './quarter.ts';

/** A crossing with its sort key and its store. */
interface StoreCrossing extends KeyedCrossing {
  readonly storeId: number;
}

/** The effect of the crossings that one transaction has stored, on one store in one quarter hour. */
interface Addition extends Quarter {
  readonly stretch: Stretch;
  /** Instants (epoch ms) of the first and the last of them. */
  readonly first: number;
  readonly last: number;
  readonly devices: DeviceCounts;
}

/** A quarter hour that has changed in any other way: its crossings must be read. */
type Rewrite = Quarter & { readonly stretch?: undefined };

export type Change = Addition | Rewrite;

/** An entry of a change record: of an addition all fields, of a rewrite the first two. */
export type ChangeEntry =
  | readonly [
      store: number,
      quarter: number,
      stretch: readonly [sum: number, floor: number, peakSum: number, peakFloor: number],
      first: number,
      last: number,
      devices: DeviceCounts,
    ]
  | readonly [store: number, quarter: number];

/** The change record of a transaction that stored `crossings`, as JSON: a list of `ChangeEntry`. */
export function additionsJson(crossings: readonly StoreCrossing[]): string {
  const quarters = Map.groupBy(crossings, ({ storeId, at }) =>
    keyOfQuarter({ storeId, quarter: quarterOf(at) }),
  );
  return JSON.stringify([...quarters.values()].flatMap((some) => additionOf(some)));
}

function additionOf(crossings: readonly StoreCrossing[]): ChangeEntry[] {
  const inOrder = crossings.toSorted(compareCrossings);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { sum, floor, peakSum, peakFloor } = inOrder
    .map(({ direction }) => crossingStretch(direction))
    .reduce(composeStretches);
  const devices = {};
  for (const { device, direction } of inOrder) addCrossing(devices, device, direction);
  const stretch = [sum, floor, peakSum, peakFloor] as const;
  return [[first.storeId, quarterOf(first.at), stretch, first.at, last.at, devices]];
}

/** Reads an entry of a change record. */
export function changeOf([storeId, quarter, stretch, first, last, devices]: ChangeEntry): Change {
  if (stretch === undefined || first === undefined || last === undefined || devices === undefined)
    return { storeId, quarter };
  const [sum, floor, peakSum, peakFloor] = stretch;
  return { storeId, quarter, first, last, stretch: { sum, floor, peakSum, peakFloor }, devices };
}

/** Quarters in one change record. */
export const quartersPerRecord = 50;

/**
 * Records, in the transaction that changes stored crossings or corrections, that quarters have changed: the projector
 * reads them again.
 */
export async function recordRewrites(connection: Connection, quarters: readonly Quarter[]): Promise<void> {
  for (let start = 0; start < quarters.length; start += quartersPerRecord) {
    const some = quarters.slice(start, start + quartersPerRecord);
    const entries = some.map(({ storeId, quarter }) => [storeId, quarter]);
    await runStatement(connection, 'record-rewrites', 'insert into change (changes) values ($1::json)', [
      JSON.stringify(entries),
    ]);
  }
}

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

/** The same as a list. */
export function listOfCounts(counts: DeviceCounts): [device: number, entries: number, exits: number][] {
  return Object.entries(counts).map(([device, [entries, exits]]) => [Number(device), entries, exits]);
}
