/** The parameters of detection; all times in milliseconds. */
export interface DetectorSettings {
  /** A level counts once it has been quiet for this long. Relays and photo transistors bounce for less. */
  readonly debounce: number;
  /**
   * After this time the present level of a line that still bounces counts, so that the line does not delay the other
   * one.
   */
  readonly longestBounce: number;
  /** A passage that takes less time is not counted. */
  readonly shortestPassage: number;
  /** A passage that takes longer is counted, and reported as slow. */
  readonly slowPassage: number;
  /**
   * A beam that is broken for longer is blocked: this is reported, and nothing is counted until all beams are clear.
   */
  readonly blockedAfter: number;
}

export const defaultDetectorSettings: DetectorSettings = {
  debounce: 8,
  longestBounce: 100,
  shortestPassage: 60,
  slowPassage: 10_000,
  blockedAfter: 30_000,
};

/** Additional settings of a door with one beam; times in milliseconds. */
export interface SingleBeamSettings {
  /** The direction of all crossings: 1 in, -1 out. */
  readonly direction: 1 | -1;
  /** A break that takes less time is not counted. */
  readonly shortestBreak: number;
  /** A break that begins sooner than this after a crossing is the same person: an arm, a bag, a trolley. */
  readonly refractory: number;
}

export const defaultSingleBeamSettings = { shortestBreak: 60, refractory: 400 };
