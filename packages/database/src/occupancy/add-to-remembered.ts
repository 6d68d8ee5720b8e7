import { addToState } from './add-to-state.ts';
import type { QuarterCrossings } from './by-quarter.ts';
import type { RememberedQuarters, WrittenState } from './remembered-quarters.ts';
import type { QuarterState } from './write-quarters.ts';

/** A quarter, what is new in it, and what its state is to be, provided that it is `before` now. */
export interface NextState extends QuarterCrossings, QuarterState {
  readonly before: WrittenState;
}

/**
 * The states of quarters with crossings that are new in them, from what is remembered alone; undefined where that is
 * not enough.
 */
export function addToRemembered(
  groups: readonly QuarterCrossings[],
  remembered: RememberedQuarters,
): readonly NextState[] | undefined {
  const next: NextState[] = [];
  for (const group of groups) {
    const before = remembered.get(group.key);
    if (before === undefined) return undefined;
    const state = addToState(before, group, remembered);
    if (state.unfolded !== undefined) return undefined;
    next.push({ ...group, state, before });
  }
  return next;
}
