/*
 * Whether a door counts in the wrong direction.
 *
 * A business day of a store begins without people: first they come, then they leave. The running sum of its entries and
 * exits, without the floor at 0 that occupancy has, rises far above 0 and hardly falls below it. With swapped beams it
 * falls far below 0 and hardly rises above it. Real days vary: people who came through another door leave through this
 * one, and on a quiet Sunday 34 of 36 crossings can be exits. So each day adds its highest and its lowest sum to a
 * score. Good days are credit, which a few odd days do not use up; a store without credit is doubtful immediately.
 */

/** How far a running sum went above (0 or more) and below (0 or less) its start. */
interface SumRange {
  readonly highest: number;
  readonly lowest: number;
}

/** At this score and below the directions are doubtful: ten unexplained exits. */
const doubtfulFrom = -10;
/** The most credit: enough for two odd weekend days with 60 crossings together, and the odd hour after them. */
const mostCredit = 70;
/** The most debt: one good morning after the repair ends the doubt. */
const mostDebt = -20;

/** The score after a business day, given the score before it (0 for a new store). A slightly odd day changes nothing. */
export function scoreAfterDay(score: number, { highest, lowest }: SumRange): number {
  const day = highest + lowest;
  const counted = day < 0 && day > doubtfulFrom ? 0 : day;
  return Math.min(mostCredit, Math.max(mostDebt, score + counted));
}

/** Whether exits precede entries, by the score before a business day and the part of that day that is known. */
export function isDirectionDoubtful(scoreBefore: number, today: SumRange): boolean {
  return scoreBefore + today.highest + today.lowest <= doubtfulFrom;
}

/** The range of the running sum of crossings, or of stretches of crossings. */
export class RunningSum implements SumRange {
  highest = 0;
  lowest = 0;
  #sum = 0;

  /** Adds crossings with this sum, whose own running sum falls to `lowest` (0 or less). */
  add(sum: number, lowest: number = Math.min(0, sum)): void {
    this.lowest = Math.min(this.lowest, this.#sum + lowest);
    this.#sum += sum;
    this.highest = Math.max(this.highest, this.#sum);
  }
}
