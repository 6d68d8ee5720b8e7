import { compareCrossings, type PlacedCrossing } from '@visitor-counter/domain/crossing';
import { LRUCache } from 'lru-cache';

/** All crossings of a quarter at `from` (epoch ms) or later, in their order, as its state was written by `writer`. */
interface Tail {
  readonly writer: string;
  readonly from: number;
  readonly crossings: PlacedCrossing[];
}

/** What a transaction has added to a quarter. */
export interface Addition {
  /** The transaction that wrote the state that it found. */
  readonly before: string;
  /** The latest act in that state (epoch ms); -Infinity where there was none. */
  readonly latest: number;
  /** The transaction itself. */
  readonly writer: string;
  readonly added: readonly PlacedCrossing[];
}

/** Of one quarter so many are kept, and remembered until there are twice as many. */
const keptPerQuarter = 256;

/** Crossings of all quarters, some 100 bytes each; a quarter counts as one more. */
const kept = 50_000;

/**
 * The latest crossings of quarters that this process has stored, so that one that comes a little later than
 * others after it needs no reading of these.
 *
 * What is remembered is bound to the transaction that wrote the state: it is true where the state that is locked
 * is that one's, and of no use after anybody else has written it, or where that transaction was rolled back.
 * Behind a new connection may be another database, whose transactions have the same numbers: `clear` then.
 */
export class RecentCrossings {
  readonly #tails = new LRUCache<string, Tail>({
    maxSize: kept,
    sizeCalculation: ({ crossings }) => crossings.length + 1,
  });

  clear(): void {
    this.#tails.clear();
  }

  /** The crossings at `from` (epoch ms) or later in the state that `writer` wrote; undefined when they are not known. */
  since(quarter: string, writer: string, from: number): readonly PlacedCrossing[] | undefined {
    const tail = this.#tails.get(quarter);
    if (tail?.writer !== writer || tail.from > from) return undefined;
    return tail.crossings.slice(placeOf(tail.crossings, (crossing) => crossing.at >= from));
  }

  /** To be called for every quarter that is written; `added` is sorted. */
  remember(quarter: string, { before, latest, writer, added }: Addition): void {
    const known = this.#tails.get(quarter);
    const { from, crossings } = known?.writer === before ? known : { from: after(latest), crossings: [] };
    for (const crossing of added) if (crossing.at >= from) insert(crossings, crossing);
    /* A new object each time: only then is its size counted anew. */
    this.#tails.set(quarter, { writer, ...latestOf(from, crossings) });
  }
}

/** Instants are whole milliseconds. */
function after(instant: number): number {
  return instant + 1;
}

/** Most are the latest. */
function insert(crossings: PlacedCrossing[], crossing: PlacedCrossing): void {
  const last = crossings.at(-1);
  if (last === undefined || compareCrossings(last, crossing) < 0) crossings.push(crossing);
  else
    crossings.splice(
      placeOf(crossings, (other) => compareCrossings(other, crossing) > 0),
      0,
      crossing,
    );
}

/** The first place in sorted crossings at which something is true, as it is of all behind it. */
function placeOf(
  crossings: readonly PlacedCrossing[],
  isTrue: (crossing: PlacedCrossing) => boolean,
): number {
  let place = crossings.length;
  for (let other = crossings[place - 1]; other && isTrue(other); other = crossings[place - 1]) place -= 1;
  return place;
}

/** Crossings of one instant are kept or forgotten together. */
function latestOf(from: number, crossings: PlacedCrossing[]): Omit<Tail, 'writer'> {
  if (crossings.length <= 2 * keptPerQuarter) return { from, crossings };
  const oldest = crossings.at(-keptPerQuarter)?.at ?? from;
  return { from: after(oldest), crossings: crossings.filter(({ at }) => at > oldest) };
}
