import { finalUntil } from '../retention/removed-before.ts';
import { numberArray } from '../sql/arrays.ts';
import { onKysely, type RunStatement } from '../sql/run-statement.ts';
import type { Reader } from '../sql/snapshot.ts';
import type { CountedBuckets } from './count-by-device.ts';
import { countPieces, type Piece } from './count-pieces.ts';
import { quarterOf, startOfQuarter } from './quarter.ts';

/** Entries and exits of one store in each of its buckets. */
export interface StoreCounts {
  readonly entries: number[];
  readonly exits: number[];
  /** The buckets at whose bounds crossings were removed: they may count some crossings of their neighbours. */
  readonly rough: Set<number>;
}

/** About how many rows one statement reads. */
const rowsAtOnce = 200_000;

/**
 * Entries and exits of stores of one company, each in its buckets, in their order.
 *
 * Reads the projection; crossings only of a quarter hour in which a bucket begins or the last one ends, unless all of its
 * crossings belong to one bucket.
 */
export async function countStores(db: Reader, wanted: readonly CountedBuckets[]): Promise<StoreCounts[]> {
  const run = onKysely(db);
  const counts = wanted.map(({ starts }): StoreCounts => {
    const zeros = () => starts.map(() => 0);
    return { entries: zeros(), exits: zeros(), rough: new Set() };
  });
  for (const places of portions(wanted)) await countQuarters(run, wanted, counts, places);
  const pieces = wanted.flatMap((buckets, place) => piecesOf(buckets, place));
  const [store] = wanted;
  const final = store && pieces.length > 0 ? ((await finalUntil(run, store.storeId)) ?? 0) : 0;
  for (const { place, bucket, entries, exits, isRough } of await countPieces(run, pieces, final)) {
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

/** The places of the stores that one statement reads. */
function portions(wanted: readonly CountedBuckets[]): number[][] {
  const found: number[][] = [];
  let rows = rowsAtOnce;
  for (const [place, { starts, to }] of wanted.entries()) {
    if (rows >= rowsAtOnce) {
      found.push([]);
      rows = 0;
    }
    found.at(-1)?.push(place);
    rows += quarterOf(to) - quarterOf(starts[0] ?? to) + 1;
  }
  return found;
}

/** Adds the quarter hours within one bucket. */
async function countQuarters(
  run: RunStatement,
  wanted: readonly CountedBuckets[],
  counts: readonly StoreCounts[],
  places: readonly number[],
): Promise<void> {
  const bounds = places.map((place) => {
    const { storeId = 0, starts = [], to = 0 } = wanted[place] ?? {};
    return { storeId, first: Math.ceil((starts[0] ?? to) / startOfQuarter(1)), next: quarterOf(to) };
  });
  const [row] = await run<{ counts: Buffer | null }>('count-quarters', quartersStatement, [
    numberArray(places),
    numberArray(bounds.map(({ storeId }) => storeId)),
    numberArray(bounds.map(({ first }) => first)),
    numberArray(bounds.map(({ next }) => next)),
  ]);
  const bytes = row?.counts ?? Buffer.alloc(0);
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const place = bytes.readInt32BE(offset);
    const { starts = [], to = 0 } = wanted[place] ?? {};
    const at = startOfQuarter(bytes.readInt32BE(offset + 4));
    const bucket = indexOf(starts, at);
    if (at + startOfQuarter(1) > (starts[bucket + 1] ?? to)) continue;
    add(counts[place], bucket, bytes.readInt32BE(offset + 8), bytes.readInt32BE(offset + 12));
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
  for (const [bucket, from] of starts.entries()) {
    const end = starts[bucket + 1] ?? to;
    const [first, last] = [quarterOf(from), quarterOf(end)];
    const beginsWithin = from > startOfQuarter(first);
    const piece = { place, bucket, storeId };
    if (beginsWithin) pieces.push({ ...piece, from, to: Math.min(end, startOfQuarter(first + 1)) });
    if (end > startOfQuarter(last) && !(beginsWithin && last === first))
      pieces.push({ ...piece, from: startOfQuarter(last), to: end });
  }
  return pieces.filter((piece) => piece.from < piece.to);
}

/* One value: see read-quarters.ts. */
const quartersStatement = `
  select string_agg(
    int8send(place::bigint << 32 | quarter) || int8send(entries::bigint << 32 | exits), ''
  ) as counts
  from unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[]) as wanted (place, id, first, next)
  cross join lateral (
    select quarter, entries, exits from device_quarter
    where store_id = id and quarter >= first and quarter < next
    offset 0
  ) found`;
