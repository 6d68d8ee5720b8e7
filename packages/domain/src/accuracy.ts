import { matchPassages, reach } from './accuracy-matching.ts';
import type { Crossing, Direction } from './crossing.ts';

/*
 * How accurately a door counts: what a person saw there is compared with what the unit counted in the same time.
 *
 * The error of a direction is counted / observed - 1, which is extra / observed - missed / observed. Its 95 % interval
 * combines the intervals of these two parts by the method MOVER (Zou and Donner, Statistics in Medicine 27, 2008). Each is
 * that of a count by Byar's approximation (Breslow and Day, Statistical Methods in Cancer Research II, 1987), which holds for
 * the few errors of an audit as well.
 *
 * People come in groups, and a unit can miss several of a group together. Errors of one direction that follow each other
 * within seconds are one cluster. As Korn and Graubard do for samples of clusters (Survey Methodology 24, 1998), the
 * intervals are those of a smaller sample: all numbers are divided by sum(size²) / sum(size) of the clusters, by which
 * clusters multiply the variance. One cluster of the size of the groups that were seen is added to those of the audit,
 * because a few errors, or none, do not show how they cluster.
 *
 * In simulations the interval contains the true error in at least 118 of 125 audits; see accuracy.test.ts.
 */

/** Limits that a parameter lies between, in 95 of 100 cases. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface DirectionAccuracy {
  /** How many people the person at the door saw, and how many the unit counted. */
  readonly observed: number;
  readonly counted: number;
  /** Passages without a crossing, and crossings without a passage. */
  readonly missed: number;
  readonly extra: number;
  /** counted / observed - 1, and the 95 % interval of it; null if nobody was seen. */
  readonly error: number | null;
  readonly interval: Interval | null;
}

export interface Accuracy {
  /** By how much the person's instants were later than the unit's (ms). */
  readonly lag: number;
  readonly in: DirectionAccuracy;
  readonly out: DirectionAccuracy;
}

/**
 * Compares the passages that a person saw, at least one, with the crossings of the same door at that time and
 * `longestLag` before and after. The audited time is from the first passage to the last one.
 */
export function accuracyOf(passages: readonly Crossing[], crossings: readonly Crossing[]): Accuracy {
  const seen = passages.toSorted((a, b) => a.at - b.at);
  const counted = crossings.toSorted((a, b) => a.at - b.at);
  const { crossingOf, lag } = matchPassages(seen, counted);
  const matched = new Set(crossingOf);
  const from = (seen[0]?.at ?? 0) - lag;
  const to = (seen.at(-1)?.at ?? 0) - lag;
  const missed = seen.filter((_, index) => crossingOf[index] === undefined);
  const extra = counted.filter(({ at }, index) => !matched.has(index) && at >= from && at <= to);
  const accuracyIn = (direction: Direction) => {
    const ofDirection = (list: readonly Crossing[]) => list.filter((one) => one.direction === direction);
    return directionAccuracy(ofDirection(seen), ofDirection(missed), ofDirection(extra));
  };
  return { lag, in: accuracyIn(1), out: accuracyIn(-1) };
}

function directionAccuracy(
  seen: readonly Crossing[],
  missed: readonly Crossing[],
  extra: readonly Crossing[],
): DirectionAccuracy {
  const observed = seen.length;
  const counted = observed - missed.length + extra.length;
  const counts = { observed, counted, missed: missed.length, extra: extra.length };
  if (observed === 0) return { ...counts, error: null, interval: null };
  const [error, group] = [counted / observed - 1, groupSize(seen)];
  const [less, more] = [intervalOf(missed, group), intervalOf(extra, group)];
  const below = Math.hypot(counts.extra - more.low, Math.min(less.high, observed) - counts.missed);
  const above = Math.hypot(more.high - counts.extra, counts.missed - less.low);
  return {
    ...counts,
    error: rounded(error),
    interval: {
      low: rounded(Math.max(-1, error - below / observed)),
      high: rounded(error + above / observed),
    },
  };
}

/** With as many digits as an audit can have. */
function rounded(ratio: number): number {
  return Math.round(ratio * 1e5) / 1e5;
}

/** The interval of how many errors are expected, of errors that come in clusters. */
function intervalOf(errors: readonly Crossing[], group: number): Interval {
  const squares = clusterSizes(errors, reach).reduce((sum, size) => sum + size * size, group * group);
  const factor = squares / (errors.length + group);
  const count = errors.length / factor;
  return {
    low: count === 0 ? 0 : factor * limit(count, -normalQuantile),
    high: factor * limit(count + 1, normalQuantile),
  };
}

/** Of the standard normal distribution, at 0.975. */
const normalQuantile = 1.96;

/** Byar's limit. */
function limit(count: number, quantile: number): number {
  return Math.max(0, count * (1 - 1 / (9 * count) + quantile / (3 * Math.sqrt(count))) ** 3);
}

/** People of one direction who follow each other within this time (ms) are a group. */
const withinGroup = 1_500;

/** Bounds of the group size: a few errors, or none, do not show how large clusters are. */
const [smallestGroup, largestGroup] = [1.5, 2];

/** The mean size of the group that a person belongs to, within these bounds. */
function groupSize(seen: readonly Crossing[]): number {
  const squares = clusterSizes(seen, withinGroup).reduce((sum, size) => sum + size * size, 0);
  return Math.min(largestGroup, Math.max(smallestGroup, squares / seen.length));
}

/** The sizes of clusters of events, which are in order of time: each follows the one before within `gap` (ms). */
function clusterSizes(events: readonly Crossing[], gap: number): number[] {
  const sizes: number[] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const { at } of events) {
    const size = at - before <= gap ? (sizes.pop() ?? 0) : 0;
    sizes.push(size + 1);
    before = at;
  }
  return sizes;
}
