import { composeFolded, type Folded, nothingFolded } from '@visitor-counter/domain/occupancy';
import { type Change, type DeviceCounts, sumOfCounts } from '../occupancy/change.ts';
import { keyOfQuarter, type Quarter } from '../occupancy/quarter.ts';

/**
 * What a quarter contains before an instant (epoch ms), so that only the rest of the quarter must be read again. Stored as
 * JSON, so its numbers are finite.
 */
export interface Base {
  readonly until: number;
  readonly folded: Folded;
  readonly devices: DeviceCounts;
}

/** A quarter as the projection contains it. */
export interface KnownQuarter {
  readonly folded: Folded;
  readonly base: Base | undefined;
  /** Its crossings may have been removed: it is never read again. */
  readonly isFinal?: boolean;
}

/** A new state of a quarter, and what each device has counted in it. */
export interface FoldedQuarter extends Quarter, Omit<KnownQuarter, 'isFinal'> {
  readonly devices: DeviceCounts;
}

/** A quarter whose crossings must be read. */
export interface QuarterToRead extends Quarter {
  /** The instant (epoch ms) of the first crossing that was added; -Infinity if anything may have changed. */
  readonly first: number;
  /** The instant (epoch ms) of the latest crossing that it contains. */
  readonly latest: number;
  readonly base: Base | undefined;
}

/** The work of a round. */
interface Applied {
  /**
   * Quarters whose new state follows from what they contain and from what was added after it; `devices` is what the
   * devices have counted in addition.
   */
  readonly composed: readonly FoldedQuarter[];
  readonly toRead: readonly QuarterToRead[];
}

/**
 * Applies changes, in the order in which they were written, to quarters that contain `before` (by `keyOfQuarter`).
 *
 * An addition that begins after everything its quarter contains is composed with it. After any other change, such as crossings
 * that arrive late or a correction, the quarter must be read. That is exact in whatever order transactions commit: a quarter
 * that was read may contain crossings whose addition comes later; that addition does not begin after them, so the quarter is
 * read again.
 *
 * An addition to a final quarter counts as if it had happened at its end: entries and exits are exact, the highest
 * occupancy may not be.
 */
export function applyChanges(before: ReadonlyMap<string, KnownQuarter>, changes: readonly Change[]): Applied {
  const composed = new Map<string, FoldedQuarter>();
  const toRead = new Map<string, QuarterToRead>();
  for (const change of changes) {
    const { storeId, quarter } = change;
    const key = keyOfQuarter(change);
    const { folded: stored, base, isFinal = false } = before.get(key) ?? unknownQuarter;
    if (isFinal && change.stretch === undefined) continue;
    const first = change.stretch ? change.first : Number.NEGATIVE_INFINITY;
    const reading = toRead.get(key);
    if (reading) {
      toRead.set(key, { ...reading, first: Math.min(reading.first, first) });
      continue;
    }
    const earlier = composed.get(key);
    const folded = earlier?.folded ?? stored;
    if (change.stretch && (isFinal || first > folded.latest)) {
      const extended = composeFolded(folded, { stretch: change.stretch, latest: change.last });
      const devices = sumOfCounts(earlier?.devices ?? {}, change.devices);
      composed.set(key, { storeId, quarter, folded: extended, base, devices });
    } else {
      composed.delete(key);
      toRead.set(key, { storeId, quarter, first, latest: folded.latest, base });
    }
  }
  return { composed: [...composed.values()], toRead: [...toRead.values()] };
}

const unknownQuarter: KnownQuarter = { folded: nothingFolded, base: undefined };
