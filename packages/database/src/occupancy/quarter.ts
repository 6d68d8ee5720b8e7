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
export const quarterLength = 15 * 60_000;

export const quartersPerDay = 96;
export const quartersPerWeek = 7 * quartersPerDay;

/** The number of the quarter that contains an instant (epoch ms). */
export function quarterOf(instant: number): number {
  return Math.floor(instant / quarterLength);
}

/** The first quarter that begins at an instant (epoch ms) or later. */
export function quarterAfter(instant: number): number {
  return Math.ceil(instant / quarterLength);
}

/** The instant (epoch ms) at which a quarter begins. */
export function startOfQuarter(quarter: number): number {
  return quarter * quarterLength;
}
