import { compareCrossings, type KeyedCrossing } from '@visitor-counter/domain/crossing';
import { composeStretches, crossingStretch, type Stretch } from '@visitor-counter/domain/occupancy';
import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';
import { keyOfQuarter, type Quarter, quarterOf } from './quarter.ts';

/** A crossing with its sort key and its store. */
export interface StoreCrossing extends KeyedCrossing {
  readonly storeId: number;
}

/** The effect of the crossings that one transaction has stored, on the occupancy of one store in one quarter hour. */
export interface Addition extends Quarter {
  readonly stretch: Stretch;
  /** Instants (epoch ms) of the first and the last of them. */
  readonly first: number;
  readonly last: number;
}

/** A quarter hour that has changed in any other way: its crossings have to be read. */
export type Rewrite = Quarter & { readonly stretch?: undefined };

export type Change = Addition | Rewrite;

/** An entry of a change record: store, quarter, sum, floor, first, last; the first two alone for a rewrite. */
export type ChangeEntry =
  | readonly [store: number, quarter: number, sum: number, floor: number, first: number, last: number]
  | readonly [store: number, quarter: number];

/** The change record of a transaction that stored `crossings`, as JSON: a list of `ChangeEntry`. */
export function additionsJson(crossings: readonly StoreCrossing[]): string {
  const quarters = Map.groupBy(crossings, ({ storeId, at }) =>
    keyOfQuarter({ storeId, quarter: quarterOf(at) }),
  );
  const entries = [...quarters.values()].flatMap((some): ChangeEntry[] => {
    const inOrder = some.toSorted(compareCrossings);
    const [first, last] = [inOrder[0], inOrder.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { sum, floor } = inOrder
      .map(({ direction }) => crossingStretch(direction))
      .reduce(composeStretches);
    return [[first.storeId, quarterOf(first.at), sum, floor, first.at, last.at]];
  });
  return JSON.stringify(entries);
}

/** Reads an entry of a change record. */
export function changeOf([storeId, quarter, sum, floor, first, last]: ChangeEntry): Change {
  if (sum === undefined || floor === undefined || first === undefined || last === undefined)
    return { storeId, quarter };
  return { storeId, quarter, stretch: { sum, floor }, first, last };
}

/** Quarters in one change record. */
const perRecord = 50;

/**
 * Records, in the transaction that changes stored crossings or corrections, that quarters have changed: the projector
 * reads them again.
 */
export async function recordRewrites(trx: Kysely<Schema>, quarters: readonly Quarter[]): Promise<void> {
  for (let start = 0; start < quarters.length; start += perRecord) {
    const entries = quarters
      .slice(start, start + perRecord)
      .map(({ storeId, quarter }) => [storeId, quarter]);
    await trx
      .insertInto('change')
      .values({ changes: JSON.stringify(entries) })
      .execute();
  }
}
