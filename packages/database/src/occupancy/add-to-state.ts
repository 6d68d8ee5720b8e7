import { compareCrossings, type PlacedCrossing } from '@visitor-counter/domain/crossing';
import { crossingStretch } from '@visitor-counter/domain/occupancy';
import { type Act, addActs, append, type Parts } from '@visitor-counter/domain/occupancy-parts';
import type { QuarterCrossings } from './by-quarter.ts';
import { startOfQuarter } from './quarter.ts';
import type { RememberedQuarters, WrittenState } from './remembered-quarters.ts';

/**
 * A quarter's state with crossings that are new in it. Where some come before others that are in the state already,
 * these are taken from memory; where they are not remembered, the end of the state is left unfolded.
 */
export function addToState(
  { state: before, writtenBy }: WrittenState,
  { key, quarter, crossings }: QuarterCrossings,
  remembered: RememberedQuarters,
): Parts {
  const start = startOfQuarter(quarter);
  const state = addActs(before, start, crossings.map(actOf));
  const { parts, unfolded } = state;
  const behind = unfolded && remembered.since(key, writtenBy, unfolded.from);
  if (behind === undefined) return state;
  const acts = [...behind, ...crossings].sort(compareCrossings).map(actOf);
  return append({ parts, latest: Number.NEGATIVE_INFINITY }, unfolded?.from ?? start, acts);
}

function actOf({ at, direction }: PlacedCrossing): Act {
  return { at, stretch: crossingStretch(direction) };
}
