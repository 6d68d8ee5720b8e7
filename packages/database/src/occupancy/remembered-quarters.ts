import type { PlacedCrossing } from '@visitor-counter/domain/crossing';
import type { Parts } from '@visitor-counter/domain/occupancy-parts';
import { LRUCache } from 'lru-cache';
import { RecentCrossings } from './recent-crossings.ts';

/** The state of a quarter, and the transaction that wrote it: as long as it is the same, nothing has changed. */
export interface WrittenState {
  readonly state: Parts;
  readonly writtenBy: string;
}

/** A state, and behind it all crossings of its quarter at `from` (epoch ms) or later, in their order. */
interface Remembered extends WrittenState {
  readonly from: number;
  readonly crossings: RecentCrossings;
}

/** What a transaction has added to a quarter. */
export interface Addition extends WrittenState {
  /** What it found. */
  readonly before: WrittenState;
  readonly added: readonly PlacedCrossing[];
}

/** Of one quarter so many are kept, and remembered until there are twice as many. */
const keptPerQuarter = 128;

/** Crossings of all quarters, 40 to 80 bytes each; a quarter counts as one more. */
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
    return known.crossings.since(from);
  }

  /** To be called for every quarter that is written; `added` is sorted. */
  remember(quarter: string, { before, added, state, writtenBy }: Addition): void {
    const known = this.#quarters.get(quarter);
    const continued = known?.writtenBy === before.writtenBy;
    const crossings = continued ? known.crossings : new RecentCrossings();
    let from = continued ? known.from : after(before.state.latest);
    for (const crossing of added) if (crossing.at >= from) crossings.add(crossing);
    if (crossings.length > 2 * keptPerQuarter) from = after(crossings.forgetUntilFewerThan(keptPerQuarter));
    /* A new object each time: only then is its size counted anew. */
    this.#quarters.set(quarter, { state, writtenBy, from, crossings });
  }
}

/** Instants are whole milliseconds. */
function after(instant: number): number {
  return instant + 1;
}
