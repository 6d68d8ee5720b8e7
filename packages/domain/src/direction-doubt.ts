/*
 * Whether a door counts the wrong way round.
 *
 * A business day of a store begins without people: first they come, then they leave. The running sum of its entries and
 * exits, without the floor at 0 that occupancy has, goes far up and hardly below 0. Where the two beams are swapped it
 * goes far down and hardly above 0. Real days are not clean: people who came through another door leave through this
 * one, and on a quiet Sunday 34 of 36 crossings can be exits. So each day adds its highest and its lowest sum to a
 * score: good days are credit, which a few odd days do not use up, and a store without credit is judged at once.
 */

/** How far a running sum went above (0 or more) and below (0 or less) its start. */
export interface SumRange {
  readonly highest: number;
  readonly lowest: number;
}

/** From this score on downwards the directions are doubtful: ten more exits than a store can explain. */
const doubtfulFrom = -10;
/** The most credit: two odd weekend days with 60 crossings together, and the odd hour after them. */
const mostCredit = 70;
/** The most debt, so that one good morning after the repair is enough. */
const mostDebt = -20;

/** The score after a business day, given the score before it. A new store has 0. A day that is odd by little does not count. */
export function scoreAfterDay(score: number, { highest, lowest }: SumRange): number {
  const shown = highest + lowest;
  const counted = shown < 0 && shown > doubtfulFrom ? 0 : shown;
  return Math.min(mostCredit, Math.max(mostDebt, score + counted));
}

/** Whether exits precede entries, by the score before a business day and what is known of that day so far. */
export function isDirectionDoubtful(scoreBefore: number, today: SumRange): boolean {
  return scoreBefore + today.highest + today.lowest <= doubtfulFrom;
}

/** The range of a sequence of crossings, or of summed stretches of them. */
export class RunningSum implements SumRange {
  highest = 0;
  lowest = 0;
  #sum = 0;

  /** Adds crossings that sum up to `sum` and on the way went down to `lowest` (0 or less) from where they began. */
  add(sum: number, lowest: number = Math.min(0, sum)): void {
    this.lowest = Math.min(this.lowest, this.#sum + lowest);
    this.#sum += sum;
    this.highest = Math.max(this.highest, this.#sum);
  }
}
