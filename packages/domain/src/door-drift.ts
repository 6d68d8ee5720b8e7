/*
 * Whether entries and exits drift apart at one door, as with a beam that misses one direction. What comes in goes out
 * within the day, so a store's only door has as many of both. Of several doors one can be the way in and another the way
 * out: there, the share that a door had in the weeks before counts. On fifteen weeks of a real door the two differ by at most
 * a tenth of both together within three days, and by a fourteenth within a week.
 */

/** What a door counted in some days. */
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

/** Fewer crossings than these say nothing. */
const fewest = 200;
const fewestBefore = 500;

/** The most that the share of entries minus exits may differ from what is expected. */
const mostInThreeDays = 0.25;
const mostInWeek = 0.15;
/** And the most standard deviations of a fair coin. */
const mostDeviations = 4;

/** What the door counted in the days in which its entries and exits drifted apart; undefined if they did not. */
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
