import type { DeviceLimits } from '../device-limits.ts';

const dayLength = 24 * 60 * 60 * 1_000;

/** The number of the day of UTC that an instant (epoch ms) lies in, counted from 1970. */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayLength);
}

/** The days whose arrivals count together. */
const window = 30;

/** What is counted of a device on a day: crossings with instants on it, and crossings that arrived on it. */
export interface DayCount {
  readonly day: number;
  readonly crossed: number;
  readonly arrived: number;
}

export type CountLimits = Pick<DeviceLimits, 'crossingsPerDay' | 'crossingsPer30Days'>;

/** How many crossings of one device are stored, by the days of their instants and of their arrival. */
export class DeviceUsage {
  readonly #crossed = new Map<number, number>();
  readonly #arrived = new Map<number, number>();
  #most = 0;
  #arrivedInWindow = 0;
  #windowEnd = Number.NEGATIVE_INFINITY;

  constructor(counts: readonly DayCount[] = []) {
    for (const count of counts) this.add(count);
  }

  /** How many days it has counts of. */
  get size(): number {
    return this.#crossed.size + this.#arrived.size;
  }

  add({ day, crossed, arrived }: DayCount): void {
    if (crossed !== 0) {
      const sum = (this.#crossed.get(day) ?? 0) + crossed;
      this.#crossed.set(day, sum);
      this.#most = Math.max(this.#most, sum);
    }
    if (arrived === 0) return;
    this.#arrived.set(day, (this.#arrived.get(day) ?? 0) + arrived);
    if (day <= this.#windowEnd && day > this.#windowEnd - window) this.#arrivedInWindow += arrived;
  }

  /** Whether `count` more crossings that arrive on day `today` are within the limits, whatever their instants are. */
  hasRoomFor(count: number, { crossingsPerDay, crossingsPer30Days }: CountLimits, today: number): boolean {
    return this.#most + count <= crossingsPerDay && this.#arrivedUntil(today) + count <= crossingsPer30Days;
  }

  /**
   * Judges crossings that arrive on day `today` one after the other: for each the reason why it exceeds the limits,
   * undefined for those that do not. Counts nothing.
   */
  excess(
    crossings: readonly { readonly at: number }[],
    { crossingsPerDay, crossingsPer30Days }: CountLimits,
    today: number,
  ): (string | undefined)[] {
    const days = new Map<number, number>();
    let arrived = this.#arrivedUntil(today);
    return crossings.map(({ at }) => {
      const day = dayOf(at);
      const crossed = days.get(day) ?? this.#crossed.get(day) ?? 0;
      if (crossed >= crossingsPerDay) return `limit: more than ${crossingsPerDay} crossings of one day`;
      if (arrived >= crossingsPer30Days)
        return `limit: more than ${crossingsPer30Days} new crossings in 30 days`;
      days.set(day, crossed + 1);
      arrived += 1;
      return undefined;
    });
  }

  #arrivedUntil(today: number): number {
    if (today === this.#windowEnd) return this.#arrivedInWindow;
    this.#windowEnd = today;
    this.#arrivedInWindow = 0;
    for (const [day, count] of this.#arrived) {
      if (day <= today - window) this.#arrived.delete(day);
      else if (day <= today) this.#arrivedInWindow += count;
    }
    return this.#arrivedInWindow;
  }
}
