/** What is stored of one device at most; days are those of UTC. */
export interface DeviceLimits {
  /** Crossings with instants on one day. */
  readonly crossingsPerDay: number;
  /** Crossings that arrive within thirty days, today included. */
  readonly crossingsPer30Days: number;
  /** Journals whose first crossing arrives within 24 hours. */
  readonly journalsPerDay: number;
  /** Journals in all. */
  readonly journals: number;
}
