/*
 * Whether entries and exits drift apart at one door, as if a beam misses one direction. People who enter leave within the
 * day, so the only door of a store has as many entries as exits. One of several doors can be the way in and another the way
 * out, so such a door is compared with its own share in the weeks before. On fifteen weeks of a real door the two differ by
 * at most a tenth of their sum within three days, and by a fourteenth within a week.
 */

/** The counts of a door in some days. */
interface DoorSums {
  readonly entries: number;
  readonly exits: number;
}

interface DoorDays {
  readonly lastThreeDays: DoorSums;
  readonly lastWeek: DoorSums;
  /** The four weeks before the last one. */
  readonly before: DoorSums;
  /** Whether it is the only door of its store. */
  readonly isOnly: boolean;
}

/** With fewer crossings, nothing is decided. */
const fewest = 200;
const fewestBefore = 500;

/** A share, (entries - exits) / crossings, that differs from the expected one by less than this is no drift. */
const mostInThreeDays = 0.25;
const mostInWeek = 0.15;

/** Neither is a difference of fewer standard deviations of a fair coin. */
const mostDeviations = 4;

/** The counts of the days in which entries and exits drifted apart; undefined if they did not. */
export function driftOf({ lastThreeDays, lastWeek, before, isOnly }: DoorDays): DoorSums | undefined {
  const expected = isOnly ? 0 : shareOf(before, fewestBefore);
  if (expected === undefined) return undefined;
  const differs = (sums: DoorSums, most: number) => {
    const share = shareOf(sums, fewest);
    if (share === undefined) return false;
    const difference = Math.abs(share - expected);
    return difference >= most && difference * Math.sqrt(sums.entries + sums.exits) >= mostDeviations;
  };
  if (differs(lastThreeDays, mostInThreeDays)) return lastThreeDays;
  return differs(lastWeek, mostInWeek) ? lastWeek : undefined;
}

function shareOf({ entries, exits }: DoorSums, fewest: number): number | undefined {
  const all = entries + exits;
  return all < fewest ? undefined : (entries - exits) / all;
}
