import { composeStretches, type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import type { Change } from '../occupancy/change.ts';
import { keyOfQuarter, type Quarter } from '../occupancy/quarter.ts';
import type { FoldedQuarter } from './quarter-rows.ts';

/** The work of a round. */
export interface Applied {
  /** Quarters whose new state follows from what they contain and from what was added after it. */
  readonly composed: readonly FoldedQuarter[];
  /** Quarters whose crossings have to be read. */
  readonly toRead: readonly Quarter[];
}

/**
 * Applies changes, in the order in which they were written, to quarters that contain `before` (by `keyOfQuarter`).
 *
 * An addition that begins after everything its quarter contains is composed with it. Anything else, such as crossings that
 * arrive late or a correction, makes the quarter one to read. That is exact in whatever order transactions commit: a
 * quarter that was read contains what other transactions have stored meanwhile, and their additions do not begin after it.
 */
export function applyChanges(before: ReadonlyMap<string, Folded>, changes: readonly Change[]): Applied {
  const composed = new Map<string, FoldedQuarter>();
  const toRead = new Map<string, Quarter>();
  for (const change of changes) {
    const { storeId, quarter } = change;
    const key = keyOfQuarter(change);
    if (toRead.has(key)) continue;
    const { stretch, latest } = composed.get(key)?.folded ?? before.get(key) ?? nothingFolded;
    if (change.stretch && change.first > latest) {
      const folded = { stretch: composeStretches(stretch, change.stretch), latest: change.last };
      composed.set(key, { storeId, quarter, folded });
    } else {
      composed.delete(key);
      toRead.set(key, { storeId, quarter });
    }
  }
  return { composed: [...composed.values()], toRead: [...toRead.values()] };
}
