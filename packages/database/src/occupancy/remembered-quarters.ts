import { compareCrossings, type PlacedCrossing } from '@visitor-counter/domain/crossing';
import type { Parts } from '@visitor-counter/domain/occupancy-parts';
import { LRUCache } from 'lru-cache';

/** The state of a quarter, and the transaction that wrote it: as long as it is the same, nothing has changed. */
export interface WrittenState {
  readonly state: Parts;
  readonly writtenBy: string;
}

/** A state, and behind it all crossings of its quarter at `from` (epoch ms) or later, in their order. */
interface Remembered extends WrittenState {
  readonly from: number;
  readonly crossings: PlacedCrossing[];
}

/** What a transaction has added to a quarter. */
export interface Addition extends WrittenState {
  /** What it found. */
  readonly before: WrittenState;
  readonly added: readonly PlacedCrossing[];
}

/** Of one quarter so many are kept, and remembered until there are twice as many. */
const keptPerQuarter = 128;

/** Crossings of all quarters, some 100 bytes each; a quarter counts as one more. */
const kept = 50_000;

/**
 * Quarters as this process has last written them, and their latest crossings, so that one that comes a little later
 * than others after it needs no reading of these.
 *
 * What is remembered is bound to the transaction that wrote the state: it is true where the state in the database
 * is that one's, and of no use after anybody else has written it, or where that transaction was rolled back.
 * Belongs to one connection: behind the next one may be another database, whose transactions have the same numbers.
 */
export class RememberedQuarters {
  readonly #quarters = new LRUCache<string, Remembered>({
    maxSize: kept,
    sizeCalculation: ({ crossings }) => crossings.length + 1,
  });

  /** What a quarter is, unless somebody else has written it; undefined when it is not remembered. */
  get(quarter: string): WrittenState | undefined {
    return this.#quarters.get(quarter);
  }

  /**
   * The crossings at `from` (epoch ms) or later in the state that was written by `writtenBy`; undefined when they are
   * not known.
   */
  since(quarter: string, writtenBy: string, from: number): readonly PlacedCrossing[] | undefined {
    const known = this.#quarters.get(quarter);
    if (known?.writtenBy !== writtenBy || known.from > from) return undefined;
    return known.crossings.slice(placeOf(known.crossings, (crossing) => crossing.at >= from));
  }

  /** To be called for every quarter that is written; `added` is sorted. */
  remember(quarter: string, { before, added, state, writtenBy }: Addition): void {
    const known = this.#quarters.get(quarter);
    const continued = known?.writtenBy === before.writtenBy;
    const { from, crossings } = continued ? known : { from: after(before.state.latest), crossings: [] };
    for (const crossing of added) if (crossing.at >= from) insert(crossings, crossing);
    /* A new object each time: only then is its size counted anew. */
    this.#quarters.set(quarter, { state, writtenBy, ...latestOf(from, crossings) });
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
function latestOf(from: number, crossings: PlacedCrossing[]): Pick<Remembered, 'from' | 'crossings'> {
  if (crossings.length <= 2 * keptPerQuarter) return { from, crossings };
  const oldest = crossings.at(-keptPerQuarter)?.at ?? from;
  return { from: after(oldest), crossings: crossings.filter(({ at }) => at > oldest) };
}
