/** What was detected in addition to crossings, counted since the start. Misaligned sensors show up here. */
export interface Facts {
  /** Paths that broke both beams and went back. */
  readonly turnBacks: number;
  /** Paths that broke one beam only. */
  readonly partialPaths: number;
  /** Paths that ended sooner than a person can pass. */
  readonly noise: number;
  /** Crossings that took longer than usual. */
  readonly slow: number;
  /** Two edges of a beam to the same level: the edge between them was lost. */
  readonly resyncs: number;
  /** How often a beam was broken for too long. */
  readonly blocked: number;
  /** Breaks so soon after a crossing that it was the same person; only doors with one beam. */
  readonly repeats: number;
  /** Paths whose direction could not be determined. */
  readonly unclear: number;
}

export type Fact = keyof Facts;

export const noFacts: Facts = {
  turnBacks: 0,
  partialPaths: 0,
  noise: 0,
  slow: 0,
  resyncs: 0,
  blocked: 0,
  repeats: 0,
  unclear: 0,
};
