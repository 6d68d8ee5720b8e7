/*
 * Whether a door counts in the wrong direction.
 *
 * A business day of a store begins without people: first they come, then they leave. So hardly anybody leaves while nobody is
 * inside; with swapped beams most people do. Real days vary: people who came through another door leave through this
 * one, and on a quiet Sunday 34 of 36 crossings can be exits. So each day adds the people who came before they left to a
 * score, and subtracts the unexplained exits. Good days are credit, which a few odd days do not use up; a store without
 * credit is doubtful immediately.
 */

/** A business day, or the part of it that is known, without corrections. */
export interface CountedDay {
  readonly entries: number;
  readonly exits: number;
  /** At the end of the day, and the highest of the day; never below 0. */
  readonly occupancy: number;
  readonly peak: number;
}

/** At this score and below the directions are doubtful: ten unexplained exits. */
const doubtfulFrom = -10;
/** The most credit: enough for two odd weekend days with 60 crossings together, and the odd hour after them. */
const mostCredit = 70;
/** The most debt: one good morning after the repair ends the doubt. */
const mostDebt = -20;

/** The score after a business day, given the score before it (0 for a new store). A slightly odd day changes nothing. */
export function scoreAfterDay(score: number, day: CountedDay): number {
  const change = scoreOf(day);
  const counted = change < 0 && change > doubtfulFrom ? 0 : change;
  return Math.min(mostCredit, Math.max(mostDebt, score + counted));
}

/** Whether exits precede entries, by the score before a business day and the part of that day that is known. */
export function isDirectionDoubtful(scoreBefore: number, today: CountedDay): boolean {
  return scoreBefore + scoreOf(today) <= doubtfulFrom;
}

/** Occupancy never falls below 0, so exits from an empty store make it higher than entries less exits. */
function scoreOf({ entries, exits, occupancy, peak }: CountedDay): number {
  const unexplained = occupancy - (entries - exits);
  return Math.max(0, peak - unexplained) - unexplained;
}

/** Counts the crossings of a day. */
export class DayCounter implements CountedDay {
  entries = 0;
  exits = 0;
  occupancy = 0;
  peak = 0;

  add(direction: 1 | -1): void {
    if (direction === 1) this.entries += 1;
    else this.exits += 1;
    this.occupancy = Math.max(0, this.occupancy + direction);
    this.peak = Math.max(this.peak, this.occupancy);
  }
}
