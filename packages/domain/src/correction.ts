import { type Act, correctionStretch } from './occupancy.ts';

/** Staff counted `people` inside a store at an instant (epoch ms). */
export interface Correction {
  readonly at: number;
  readonly people: number;
}

/**
 * Puts corrections among crossings, each in their order. At one instant a correction stands behind all
 * crossings: who counted has seen them; and behind the corrections that were entered before it.
 */
export function withCorrections(
  crossings: readonly Act[],
  corrections: readonly Correction[],
): readonly Act[] {
  if (corrections.length === 0) return crossings;
  const acts = corrections.map(({ at, people }): Act => ({ at, stretch: correctionStretch(people) }));
  return [...crossings, ...acts].sort((a, b) => a.at - b.at);
}
