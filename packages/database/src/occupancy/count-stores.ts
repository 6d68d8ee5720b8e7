import { type Kysely, sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';
import type { Connection } from '../sql/run-statement.ts';
import { countPieces, type Piece, type PlacedRange, readDays, readDeviceQuarters } from './count-rows.ts';
import { quarterAfter, quarterLength, quarterOf, startOfQuarter } from './quarter.ts';

/** Buckets that follow one another without gaps. Instants are epoch ms. */
interface CountedBuckets {
  readonly storeId: number;
  /** When each bucket begins, ascending. */
  readonly starts: readonly number[];
  /** When the last bucket ends, not before it begins. */
  readonly to: number;
}

/** Entries and exits in each of the buckets of a store. */
export interface EntriesAndExits {
  readonly entries: number[];
  readonly exits: number[];
}

/** The sums of all devices of a store. */
export interface StoreCounts extends EntriesAndExits {
  /** The buckets at whose bounds crossings were removed: they may count some crossings of their neighbours, or lack some. */
  readonly rough: Set<number>;
}

/** Buckets that are longer (ms) may be business days, which have rows of their own. */
const halfADay = 12 * 3_600_000;

/**
 * Entries and exits of stores of one company, each in its buckets, in their order.
 *
 * Reads the projection: rows of business days that begin with a bucket and are within it, and otherwise quarter hours.
 * Crossings are read only of a quarter hour in which a bucket begins or the last one ends, unless all of its crossings
 * belong to one bucket. Quarter hours before `final` (epoch ms) are final.
 */
export async function countStores(
  db: Kysely<unknown>,
  wanted: readonly CountedBuckets[],
  final: number,
): Promise<StoreCounts[]> {
  const counts = wanted.map(({ starts }): StoreCounts => ({ ...zeros(starts), rough: new Set() }));
  const next = await countDays(db, wanted, counts);
  await countQuarters(db, wanted, next, (place) => counts[place]);
  for await (const counted of countPieces(db, wanted.flatMap(piecesOf), final)) {
    for (const { place, bucket, entries, exits, isRough } of counted) {
      add(counts[place], bucket, entries, exits);
      if (isRough) counts[place]?.rough.add(bucket);
    }
  }
  return counts;
}

/** The same for each device, by its serial number; devices that counted nothing are left out. */
export async function countByDevice(
  db: Kysely<unknown>,
  wanted: readonly CountedBuckets[],
  final: number,
): Promise<ReadonlyMap<string, EntriesAndExits>[]> {
  const counts = wanted.map(() => new Map<number, EntriesAndExits>());
  const countsOf = (place: number, device: number) => {
    const known = counts[place]?.get(device) ?? zeros(wanted[place]?.starts ?? []);
    counts[place]?.set(device, known);
    return known;
  };
  const next = wanted.map(({ starts }) => starts.map(quarterAfter));
  await countQuarters(db, wanted, next, countsOf);
  for await (const counted of countPieces(db, wanted.flatMap(piecesOf), final)) {
    for (const { place, device, bucket, entries, exits } of counted) {
      if (entries + exits > 0) add(countsOf(place, device), bucket, entries, exits);
    }
  }
  const ids = new Set(counts.flatMap((devices) => [...devices.keys()]));
  const { rows } = await sql<{ id: number; serial: string }>`
    select id, serial from device where id = any(${numberArray([...ids])}::integer[]) order by serial collate "C"`.execute(
    db,
  );
  return counts.map(
    (devices) =>
      new Map(
        rows.flatMap(({ id, serial }) => {
          const own = devices.get(id);
          return own ? [[serial, own] as const] : [];
        }),
      ),
  );
}

function zeros(starts: readonly number[]): EntriesAndExits {
  return { entries: starts.map(() => 0), exits: starts.map(() => 0) };
}

function add(counts: EntriesAndExits | undefined, bucket: number, entries: number, exits: number): void {
  if (counts === undefined || bucket < 0) return;
  counts.entries[bucket] = (counts.entries[bucket] ?? 0) + entries;
  counts.exits[bucket] = (counts.exits[bucket] ?? 0) + exits;
}

/** Adds the rows of days. Returns, for each bucket, the first quarter that was not counted. */
async function countDays(
  connection: Connection,
  wanted: readonly CountedBuckets[],
  counts: readonly EntriesAndExits[],
): Promise<number[][]> {
  const uncounted = wanted.map(({ starts }) => starts.map(quarterAfter));
  const ranges = wanted.flatMap(({ storeId, starts, to }, place): PlacedRange[] => {
    const isLong = starts.length > 0 && (starts[1] ?? to) - (starts[0] ?? to) >= halfADay;
    return isLong ? [{ storeId, place, first: uncounted[place]?.[0] ?? 0, next: quarterOf(to) }] : [];
  });
  for await (const rows of readDays(connection, ranges)) {
    for (const [place, first, next, entries, exits] of rows) {
      const { starts = [], to = 0 } = wanted[place] ?? {};
      const bucket = indexOf(starts, startOfQuarter(first));
      const own = uncounted[place];
      if (own === undefined || startOfQuarter(first) !== starts[bucket]) continue;
      if (startOfQuarter(next) > (starts[bucket + 1] ?? to)) continue;
      own[bucket] = next;
      add(counts[place], bucket, entries, exits);
    }
  }
  return uncounted;
}

/**
 * Adds the quarters that are within one bucket, from `next` on, which has the first quarter of each bucket that was not
 * counted. `countsOf` returns the counts to which the quarters of a store, or of a device, are added.
 */
async function countQuarters(
  connection: Connection,
  wanted: readonly CountedBuckets[],
  next: readonly number[][],
  countsOf: (place: number, device: number) => EntriesAndExits | undefined,
): Promise<void> {
  const ranges = wanted.entries().flatMap(([place, { storeId, starts, to }]) => {
    const own: PlacedRange[] = [];
    const firsts = next[place] ?? [];
    for (let bucket = 0; bucket < firsts.length; bucket += 1) {
      const first = firsts[bucket] ?? 0;
      const until = starts[bucket + 1] ?? to;
      if (first >= quarterOf(until)) continue;
      const from = starts[bucket] ?? to;
      const before = own.at(-1);
      /* A quarter in which a bucket begins does not divide a range. */
      const isNext = before?.next === quarterOf(from) && first === quarterAfter(from);
      if (isNext) own[own.length - 1] = { ...before, next: quarterOf(until) };
      else own.push({ storeId, place, first, next: quarterOf(until) });
    }
    return own;
  });
  for await (const rows of readDeviceQuarters(connection, ranges)) {
    for (const [place, quarter, device, entries, exits] of rows) {
      const { starts = [], to = 0 } = wanted[place] ?? {};
      const at = startOfQuarter(quarter);
      const bucket = indexOf(starts, at);
      if (at + quarterLength > (starts[bucket + 1] ?? to)) continue;
      add(countsOf(place, device), bucket, entries, exits);
    }
  }
}

/** The index of the last start that is not after an instant; -1 if there is none. */
function indexOf(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The pieces of quarter hours that several buckets share, or of which the last bucket has only the beginning. */
function piecesOf({ storeId, starts, to }: CountedBuckets, place: number): Piece[] {
  const pieces: Piece[] = [];
  for (let bucket = 0; bucket < starts.length; bucket += 1) {
    const from = starts[bucket] ?? to;
    const end = starts[bucket + 1] ?? to;
    const first = quarterOf(from);
    const last = quarterOf(end);
    const beginsWithin = from > startOfQuarter(first);
    if (beginsWithin)
      pieces.push({ place, bucket, storeId, from, to: Math.min(end, startOfQuarter(first + 1)) });
    if (end > startOfQuarter(last) && !(beginsWithin && last === first))
      pieces.push({ place, bucket, storeId, from: startOfQuarter(last), to: end });
  }
  return pieces.filter((piece) => piece.from < piece.to);
}
