/** What was detected in addition to crossings, counted since the start. Misaligned sensors show up here. */
export interface Facts {
  /** Came under both beams and went back. */
  readonly turnBacks: number;
  /** Touched one beam only. */
  readonly partialPaths: number;
  /** Was over sooner than any person could be. */
  readonly noise: number;
  /** Counted, and took longer than usual. */
  readonly slow: number;
  /** A beam said the same twice: the edge between was lost. */
  readonly resyncs: number;
  /** A beam was broken for too long. */
  readonly blocked: number;
  /** Broke the only beam again so soon that it was the same person; doors with one beam. */
  readonly repeats: number;
  /** The direction could not be determined. */
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
