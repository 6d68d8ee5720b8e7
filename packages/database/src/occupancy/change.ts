import { composeStretches, crossingStretch, type Stretch } from '@visitor-counter/domain/occupancy';
import { byQuarter, type StoreCrossing } from './by-quarter.ts';
import type { Quarter } from './quarter.ts';

/** What the crossings that a transaction stored do to the occupancy of a store in one quarter hour, in their order. */
export interface Addition extends Quarter {
  readonly stretch: Stretch;
  /** Instants (epoch ms) of the first and the last of them. */
  readonly first: number;
  readonly last: number;
}

/** A quarter hour that has changed in any other way: its crossings have to be read. */
export type Rewrite = Quarter & { readonly stretch?: undefined };

export type Change = Addition | Rewrite;

/** As it is written: store, quarter, sum, floor, first, last; the first two alone for a rewrite. */
export type ChangeEntry =
  | readonly [store: number, quarter: number, sum: number, floor: number, first: number, last: number]
  | readonly [store: number, quarter: number];

/** The change record of a transaction that stored `crossings`, as JSON: a list of `ChangeEntry`. */
export function additionsJson(crossings: readonly StoreCrossing[]): string {
  const entries = byQuarter(crossings).map(({ storeId, quarter, crossings: some }): ChangeEntry => {
    const { sum, floor } = some.map(({ direction }) => crossingStretch(direction)).reduce(composeStretches);
    return [storeId, quarter, sum, floor, some[0]?.at ?? 0, some.at(-1)?.at ?? 0];
  });
  return JSON.stringify(entries);
}

/** Reads an entry of a change record. */
export function changeOf([storeId, quarter, sum, floor, first, last]: ChangeEntry): Change {
  if (sum === undefined || floor === undefined || first === undefined || last === undefined)
    return { storeId, quarter };
  return { storeId, quarter, stretch: { sum, floor }, first, last };
}
