import { composeStretches, type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import type { Change } from '../occupancy/change.ts';
import { type DeviceCounts, nothingCounted, sumOfCounts } from '../occupancy/device-counts.ts';
import { keyOfQuarter, type Quarter } from '../occupancy/quarter.ts';

/** What a quarter hour does to the occupancy of its store, and what each device has counted in it. */
export interface FoldedQuarter extends Quarter {
  readonly folded: Folded;
  readonly devices: DeviceCounts;
}

/** The work of a round. */
export interface Applied {
  /**
   * Quarters whose new state follows from what they contain and from what was added after it; `devices` is what the
   * devices have counted in addition.
   */
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
    const known = composed.get(key);
    const { stretch, latest } = known?.folded ?? before.get(key) ?? nothingFolded;
    if (change.stretch && change.first > latest) {
      const folded = { stretch: composeStretches(stretch, change.stretch), latest: change.last };
      const devices = sumOfCounts(known?.devices ?? nothingCounted, change.devices);
      composed.set(key, { storeId, quarter, folded, devices });
    } else {
      composed.delete(key);
      toRead.set(key, { storeId, quarter });
    }
  }
  return { composed: [...composed.values()], toRead: [...toRead.values()] };
}
