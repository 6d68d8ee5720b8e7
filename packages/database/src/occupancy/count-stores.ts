import type { Kysely } from 'kysely';
import type { Connection } from '../sql/run-statement.ts';
import type { CountedBuckets } from './count-by-device.ts';
import { countPieces, type Piece } from './count-pieces.ts';
import { daysStatement, type PlacedRange, quartersStatement, readCounts } from './count-ranges.ts';
import { quarterAfter, quarterLength, quarterOf, quartersPerDay, startOfQuarter } from './quarter.ts';

/** Entries and exits of one store in each of its buckets. */
export interface StoreCounts {
  readonly entries: number[];
  readonly exits: number[];
  /** The buckets at whose bounds crossings were removed: they may count some crossings of their neighbours. */
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
  const counts = wanted.map(({ starts }): StoreCounts => {
    const zeros = () => starts.map(() => 0);
    return { entries: zeros(), exits: zeros(), rough: new Set() };
  });
  const next = wanted.map(({ starts }) => starts.map(quarterAfter));
  await countDays(db, wanted, counts, next);
  await countQuarters(db, wanted, counts, next);
  const pieces = wanted.flatMap((buckets, place) => piecesOf(buckets, place));
  for (const { place, bucket, entries, exits, isRough } of await countPieces(db, pieces, final)) {
    add(counts[place], bucket, entries, exits);
    if (isRough) counts[place]?.rough.add(bucket);
  }
  return counts;
}

function add(counts: StoreCounts | undefined, bucket: number, entries: number, exits: number): void {
  if (counts === undefined || bucket < 0) return;
  counts.entries[bucket] = (counts.entries[bucket] ?? 0) + entries;
  counts.exits[bucket] = (counts.exits[bucket] ?? 0) + exits;
}

/** Adds the rows of days. `next` has, for each bucket, the first quarter that was not counted. */
async function countDays(
  connection: Connection,
  wanted: readonly CountedBuckets[],
  counts: readonly StoreCounts[],
  next: readonly number[][],
): Promise<void> {
  const ranges = wanted.flatMap(({ storeId, starts, to }, place): PlacedRange[] => {
    const isLong = starts.length > 0 && (starts[1] ?? to) - (starts[0] ?? to) >= halfADay;
    return isLong ? [{ storeId, place, first: next[place]?.[0] ?? 0, next: quarterOf(to) }] : [];
  });
  for (const bytes of await readCounts(connection, 'count-days', daysStatement, ranges, quartersPerDay)) {
    for (let offset = 0; offset < bytes.length; offset += 20) {
      const [place, first] = [bytes.readInt32BE(offset), bytes.readInt32BE(offset + 4)];
      const { starts = [], to = 0 } = wanted[place] ?? {};
      const bucket = indexOf(starts, startOfQuarter(first));
      const end = bytes.readInt32BE(offset + 8);
      const own = next[place];
      if (own === undefined || startOfQuarter(first) !== starts[bucket]) continue;
      if (startOfQuarter(end) > (starts[bucket + 1] ?? to)) continue;
      own[bucket] = end;
      add(counts[place], bucket, bytes.readInt32BE(offset + 12), bytes.readInt32BE(offset + 16));
    }
  }
}

/** Adds the other quarters, without those in which a bucket begins. */
async function countQuarters(
  connection: Connection,
  wanted: readonly CountedBuckets[],
  counts: readonly StoreCounts[],
  next: readonly number[][],
): Promise<void> {
  const ranges = wanted.flatMap(({ storeId, starts, to }, place) => {
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
  for (const bytes of await readCounts(connection, 'count-quarters', quartersStatement, ranges, 1)) {
    for (let offset = 0; offset < bytes.length; offset += 16) {
      const place = bytes.readInt32BE(offset);
      const { starts = [], to = 0 } = wanted[place] ?? {};
      const at = startOfQuarter(bytes.readInt32BE(offset + 4));
      const bucket = indexOf(starts, at);
      if (at + quarterLength > (starts[bucket + 1] ?? to)) continue;
      add(counts[place], bucket, bytes.readInt32BE(offset + 8), bytes.readInt32BE(offset + 12));
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
