/** The numbers that detection depends on; all times in milliseconds. */
export interface DetectorSettings {
  /** A level counts once it has been quiet for this long. Relays and photo transistors bounce for less. */
  readonly debounce: number;
  /** A line that never comes to rest is taken as it is after this long, so that the other is not held up. */
  readonly longestBounce: number;
  /** A whole passage shorter than this is no person. */
  readonly shortestPassage: number;
  /** A passage longer than this counts, and is noted as slow. */
  readonly slowPassage: number;
  /** A beam broken for longer than this is blocked: an alarm, and nothing is counted from its clearing. */
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
  /** The direction that everybody takes: 1 in, -1 out. */
  readonly direction: 1 | -1;
  /** A break shorter than this is no person. */
  readonly shortestBreak: number;
  /** A break that begins sooner than this after a crossing is the same person: an arm, a bag, a trolley. */
  readonly refractory: number;
}

export const defaultSingleBeamSettings = { shortestBreak: 60, refractory: 400 };
