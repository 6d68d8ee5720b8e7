const dayLength = 24 * 60 * 60 * 1_000;

/** The number of the day of UTC that an instant (epoch ms) lies in, counted from 1970. */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayLength);
}

/** The limit of arrivals is for this many days, today included. */
export const arrivalDays = 30;

/** The most crossings that are stored for one device; days are UTC days. */
export interface CountLimits {
  /** Crossings with instants on one day. */
  readonly crossingsPerDay: number;
  /** Crossings that arrive within thirty days, today included. */
  readonly crossingsPer30Days: number;
}

/** How many crossings of one device were stored at some moment, and how many have been since. */
export interface DeviceUsage {
  /** On the day that had most of them. */
  readonly most: number;
  /** Newly stored on the last 30 days. */
  readonly arrived: number;
  /** Stored since that moment, with any instants. */
  readonly since: number;
}

/** Whether `count` more crossings are within the limits, for any instants; false if that is not certain. */
export function hasRoomFor(
  { most, arrived, since }: DeviceUsage,
  count: number,
  { crossingsPerDay, crossingsPer30Days }: CountLimits,
): boolean {
  return most + since + count <= crossingsPerDay && arrived + since + count <= crossingsPer30Days;
}

/** How many crossings of one device are stored now, on the days of the crossings to check. */
export interface ExactUsage {
  readonly crossed: ReadonlyMap<number, number>;
  readonly arrived: number;
}

/**
 * Checks new crossings of a device in their order. Returns for each the reason why it exceeds the limits, or undefined.
 */
export function excessOf(
  crossings: readonly { readonly at: number }[],
  usage: ExactUsage,
  { crossingsPerDay, crossingsPer30Days }: CountLimits,
): (string | undefined)[] {
  const days = new Map(usage.crossed);
  let { arrived } = usage;
  return crossings.map(({ at }) => {
    const day = dayOf(at);
    const crossed = days.get(day) ?? 0;
    if (crossed >= crossingsPerDay) return `limit: more than ${crossingsPerDay} crossings of one day`;
    if (arrived >= crossingsPer30Days)
      return `limit: more than ${crossingsPer30Days} new crossings in 30 days`;
    days.set(day, crossed + 1);
    arrived += 1;
    return undefined;
  });
}
