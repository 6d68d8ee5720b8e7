import { composeFolded, type Folded, nothingFolded, occupancyAtEnd } from '@visitor-counter/domain/occupancy';
import type { Kysely } from 'kysely';
import type { StoreRange } from '../crossings/crossings.ts';
import { foldStored } from './fold-stored.ts';
import { keyOfQuarter, quarterOf, startOfQuarter } from './quarter.ts';
import { type QuarterStates, readComposedQuarters } from './read-quarters.ts';

/** A store and when its business day began (epoch ms). */
interface StoreDay {
  readonly storeId: number;
  readonly start: number;
}

interface StoreOccupancy {
  readonly occupancy: number;
  /** The instant (epoch ms) of the latest crossing or correction since the start; undefined when there is none. */
  readonly latest: number | undefined;
}

/**
 * The occupancy of stores, each of them once, at `now` (epoch ms), in the order of `days`; later crossings do not
 * count.
 *
 * Reads the projection: the quarter hours of the day, of which all but the last are one row if the projection has
 * composed them. Crossings are read only in a quarter that contains the start of the day, or crossings after now. `db`
 * must be a snapshot, because this runs several statements.
 */
export async function occupancies(
  db: Kysely<unknown>,
  days: readonly StoreDay[],
  now: number,
): Promise<StoreOccupancy[]> {
  if (days.length === 0) return [];
  const states = await readComposedQuarters(
    db,
    days.map(({ storeId, start }) => {
      const first = quarterOf(start);
      return {
        storeId,
        first,
        next: quarterOf(now) + 1,
        day: startOfQuarter(first) === start ? first : null,
      };
    }),
  );
  const startOf = new Map(days.map(({ storeId, start }) => [storeId, start]));
  const partial = partialQuarters(states, startOf, now);
  const folded = await foldStored(db, partial);
  const partOf = new Map(partial.map(({ key }, index) => [key, folded[index] ?? nothingFolded]));
  const sums = sumsOf(states, partOf);
  return days.map(({ storeId }) => shown(sums.get(storeId) ?? nothingFolded));
}

/**
 * The parts of quarters that must be read from crossings: quarters that began before the day, or have crossings or
 * corrections after now.
 */
function partialQuarters(
  states: QuarterStates,
  startOf: ReadonlyMap<number, number>,
  now: number,
): (StoreRange & { readonly key: string })[] {
  const partial = [];
  for (let index = 0; index < states.length; index += 1) {
    const storeId = states.storeId(index);
    const start = startOf.get(storeId) ?? now;
    const quarter = states.quarter(index);
    const from = startOfQuarter(quarter);
    if (from >= start && states.latest(index) <= now) continue;
    const to = Math.min(startOfQuarter(quarter + 1), now + 1);
    partial.push({ key: keyOfQuarter({ storeId, quarter }), storeId, from: Math.max(from, start), to });
  }
  return partial;
}

/** The sums of the quarters of each store; `partOf` replaces some of them. */
function sumsOf(states: QuarterStates, partOf: ReadonlyMap<string, Folded>): ReadonlyMap<number, Folded> {
  const sums = new Map<number, Folded>();
  for (let index = 0; index < states.length; index += 1) {
    const [storeId, quarter] = [states.storeId(index), states.quarter(index)];
    const part = partOf.size > 0 ? partOf.get(keyOfQuarter({ storeId, quarter })) : undefined;
    const before = sums.get(storeId) ?? nothingFolded;
    sums.set(storeId, composeFolded(before, part ?? states.folded(index)));
  }
  return sums;
}

function shown({ stretch, latest }: Folded): StoreOccupancy {
  return {
    occupancy: occupancyAtEnd(0, stretch),
    latest: Number.isFinite(latest) ? latest : undefined,
  };
}
