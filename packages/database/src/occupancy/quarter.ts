import type { Stretch } from '@visitor-counter/domain/occupancy';
import { numberColumns } from '../sql/arrays.ts';

/**
 * A quarter hour of a store: the unit of time of the occupancy projection.
 *
 * Quarters are those of UTC and do not depend on the store's calendar: a new time zone, another start of the day or a
 * change of the clocks does not change the projection. A business day is read as the quarters between its start and its
 * end.
 */
export interface Quarter {
  readonly storeId: number;
  /** Quarter hours since 1970. */
  readonly quarter: number;
}

/** ms */
const length = 15 * 60_000;

/** The number of the quarter that contains an instant (epoch ms). */
export function quarterOf(instant: number): number {
  return Math.floor(instant / length);
}

/** The instant (epoch ms) at which a quarter begins. */
export function startOfQuarter(quarter: number): number {
  return quarter * length;
}

export function keyOfQuarter({ storeId, quarter }: Quarter): string {
  return `${storeId} ${quarter}`;
}

/** The columns sum, floor, peak_sum and peak_floor of the tables of the projection. */
export function stretchColumns(stretches: readonly Stretch[]): string[] {
  return numberColumns(stretches, 'sum', 'floor', 'peakSum', 'peakFloor');
}
