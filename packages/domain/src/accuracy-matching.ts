import type { Crossing, Direction } from './crossing.ts';

/** Passages that a person saw, each with the crossing that the unit counted for it. */
interface Matching {
  /** The crossing of each passage, as indexes in the two lists; undefined for a passage that the unit did not count. */
  readonly crossingOf: readonly (number | undefined)[];
  /** By how much the person's instants are later than the unit's (ms): reaction time, and the clock of their phone. */
  readonly lag: number;
}

/** A passage and a crossing further apart than this (ms), after the common lag, are not the same person. */
export const reach = 3_000;

/** The longest lag that is searched for, in both directions (ms). */
export const longestLag = 30_000;

/**
 * Matches what a person saw with what the unit counted, each direction separately; both lists are in order of time, and so
 * are the pairs. The cost is the sum of the distances in time, plus `reach / 2` for each passage or crossing without a
 * partner; it is as small as possible. The lag that all passages have in common is found first, and costs nothing.
 */
export function matchPassages(passages: readonly Crossing[], crossings: readonly Crossing[]): Matching {
  let lag = commonLag(passages, crossings);
  let crossingOf = matchWithLag(passages, crossings, lag);
  for (let round = 0; round < 2; round += 1) {
    lag = medianLag(passages, crossings, crossingOf) ?? lag;
    crossingOf = matchWithLag(passages, crossings, lag);
  }
  return { crossingOf, lag };
}

/** The steps in which the lag is searched for (ms), and how far around each the differences count. */
const step = 100;
const spread = 1_000;
const steps = (2 * longestLag) / step + 1;

/** How much less a lag of `longestLag` counts than none: a phone that asks the server for the time has a short one. */
const preference = 0.25;

/** The lag at which most passages have a crossing, by the histogram of all differences. */
function commonLag(passages: readonly Crossing[], crossings: readonly Crossing[]): number {
  const histogram = new Float64Array(steps);
  for (const direction of [1, -1] as const) {
    const counted = crossings.filter((one) => one.direction === direction);
    let first = 0;
    for (const { at } of passages.filter((one) => one.direction === direction)) {
      while ((counted[first]?.at ?? Infinity) < at - longestLag) first += 1;
      for (let index = first; (counted[index]?.at ?? Infinity) <= at + longestLag; index += 1) {
        const bin = Math.round((at - (counted[index]?.at ?? 0) + longestLag) / step);
        histogram[bin] = (histogram[bin] ?? 0) + 1;
      }
    }
  }
  let best = { lag: 0, score: 0 };
  for (let bin = 0; bin < steps; bin += 1) {
    const lag = bin * step - longestLag;
    const score = densityAt(histogram, bin) * (1 - (preference * Math.abs(lag)) / longestLag);
    if (score > best.score) best = { lag, score };
  }
  return best.lag;
}

/** The histogram around a bin, with weights that fall to 0 at `spread`. */
function densityAt(histogram: Float64Array, bin: number): number {
  const width = spread / step;
  let sum = 0;
  for (let offset = -width; offset <= width; offset += 1) {
    sum += (histogram[bin + offset] ?? 0) * (1 - Math.abs(offset) / width);
  }
  return sum;
}

function medianLag(
  passages: readonly Crossing[],
  crossings: readonly Crossing[],
  crossingOf: readonly (number | undefined)[],
): number | undefined {
  const lags = passages.flatMap(({ at }, index) => {
    const crossing = crossings[crossingOf[index] ?? -1];
    return crossing === undefined ? [] : [at - crossing.at];
  });
  return lags.sort((a, b) => a - b)[lags.length >> 1];
}

function matchWithLag(passages: readonly Crossing[], crossings: readonly Crossing[], lag: number) {
  const crossingOf: (number | undefined)[] = passages.map(() => undefined);
  for (const direction of [1, -1] as const) {
    const events = [...eventsOf(passages, direction, 0, lag), ...eventsOf(crossings, direction, 1, 0)];
    for (const stretch of stretches(events.sort((a, b) => a.at - b.at))) {
      for (const [passage, crossing] of pairsOf(stretch)) crossingOf[passage] = crossing;
    }
  }
  return crossingOf;
}

interface Event {
  readonly at: number;
  /** Its index in its list. */
  readonly index: number;
  /** 0: a passage, 1: a crossing. */
  readonly of: 0 | 1;
}

function eventsOf(list: readonly Crossing[], direction: Direction, of: 0 | 1, lag: number): Event[] {
  return list.flatMap((one, index) => (one.direction === direction ? [{ at: one.at - lag, index, of }] : []));
}

/** Events in order, divided at gaps longer than `reach`: both events of a pair are in the same part. */
function stretches(events: readonly Event[]): Event[][] {
  const found: Event[][] = [];
  for (const event of events) {
    const last = found.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || event.at - before.at > reach) found.push([event]);
    else last.push(event);
  }
  return found;
}

/** How the cheapest matching of some first passages (rows) and crossings (columns) ends. */
const [pair, skipPassage, skipCrossing] = [0, 1, 2];

/** The pairs of the cheapest matching in order, by dynamic programming. */
function pairsOf(stretch: readonly Event[]): [number, number][] {
  const rows = stretch.filter((event) => event.of === 0);
  const columns = stretch.filter((event) => event.of === 1);
  const width = columns.length + 1;
  const ends = new Uint8Array((rows.length + 1) * width);
  const alone = reach / 2;
  let before = Float64Array.from({ length: width }, (_, column) => column * alone);
  ends.fill(skipCrossing, 0, width);
  rows.forEach(({ at }, row) => {
    const costs = new Float64Array(width);
    costs[0] = (row + 1) * alone;
    ends[(row + 1) * width] = skipPassage;
    columns.forEach((crossing, column) => {
      const paired = (before[column] ?? 0) + Math.abs(at - crossing.at);
      const passageAlone = (before[column + 1] ?? 0) + alone;
      const crossingAlone = (costs[column] ?? 0) + alone;
      const cost = Math.min(paired, passageAlone, crossingAlone);
      costs[column + 1] = cost;
      ends[(row + 1) * width + column + 1] =
        cost === paired ? pair : cost === passageAlone ? skipPassage : skipCrossing;
    });
    before = costs;
  });
  return readPairs(ends, rows, columns);
}

function readPairs(ends: Uint8Array, rows: readonly Event[], columns: readonly Event[]) {
  const pairs: [number, number][] = [];
  let [row, column] = [rows.length, columns.length];
  while (row > 0 || column > 0) {
    const end = ends[row * (columns.length + 1) + column];
    if (end === pair) pairs.push([rows[row - 1]?.index ?? 0, columns[column - 1]?.index ?? 0]);
    if (end !== skipCrossing) row -= 1;
    if (end !== skipPassage) column -= 1;
  }
  return pairs;
}
