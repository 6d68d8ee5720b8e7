import { compareCrossings, type KeyedCrossing } from '@visitor-counter/domain/crossing';
import { compareQuarters, keyOfQuarter, type Quarter, quarterOf } from './quarter.ts';

/** A crossing with its place in the order of all, and its store. */
export interface StoreCrossing extends KeyedCrossing {
  readonly storeId: number;
}

/** The crossings of one quarter, in their order. */
export interface QuarterCrossings extends Quarter {
  /** `keyOfQuarter`. */
  readonly key: string;
  readonly crossings: readonly StoreCrossing[];
}

/** Crossings by the quarters that they lie in, in the order in which quarters are to be locked. */
export function byQuarter(crossings: readonly StoreCrossing[]): QuarterCrossings[] {
  const stores = Map.groupBy(crossings, ({ storeId }) => storeId);
  return [...stores]
    .flatMap(([storeId, ofStore]) =>
      [...Map.groupBy(ofStore, ({ at }) => quarterOf(at))].map(([quarter, ofQuarter]) => ({
        ...{ storeId, quarter, key: keyOfQuarter({ storeId, quarter }) },
        crossings: ofQuarter.sort(compareCrossings),
      })),
    )
    .sort(compareQuarters);
}
