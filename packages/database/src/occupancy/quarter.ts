/**
 * A quarter hour of a store: the unit of time of the occupancy projection.
 *
 * Quarters are those of UTC, whatever the store's calendar says, so that neither another time zone, nor
 * another start of the day, nor a change of the clocks changes the projection: a business day is read as the
 * quarters between its two ends.
 */
export interface Quarter {
  readonly storeId: number;
  /** Quarter hours since 1970. */
  readonly quarter: number;
}

/** ms */
const length = 15 * 60_000;

/** The number of the quarter that an instant (epoch ms) lies in. */
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
