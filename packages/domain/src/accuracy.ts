import { matchPassages, reach } from './accuracy-matching.ts';
import type { Crossing, Direction } from './crossing.ts';
import { exactInterval, type Interval } from './exact-interval.ts';

/*
 * How accurately a door counts: what a person saw there is compared with what the unit counted in the same time.
 *
 * The error of a direction is counted / observed - 1, which is extra / observed - missed / observed. Its 95 % interval
 * combines the intervals of these two parts by the method MOVER (Zou and Donner, Statistics in Medicine 27, 2008):
 *
 * - missed / observed is a proportion: the exact interval of Clopper and Pearson.
 * - extra / observed is a ratio of two counts, of which neither is known beforehand: the exact interval of the proportion
 *   extra / (extra + observed), as odds.
 * - People come in groups, and a unit can miss several of a group together. Errors of one direction that follow each other
 *   within seconds are one cluster. As Korn and Graubard do for samples of clusters (Survey Methodology 24, 1998), both
 *   intervals are those of a smaller sample: all numbers are divided by sum(size²) / sum(size) of the clusters, by which
 *   clusters multiply the variance. One cluster of the size of the groups that were seen is added to those of the audit,
 *   because a few errors, or none, do not show how they cluster.
 *
 * Exact intervals are wider than Wilson's, which for rare errors contain the truth in less than 95 of 100 samples, and
 * errors are rare here. In simulations the whole contains the true error in more than 95 of 100 audits; see
 * accuracy.test.ts.
 */

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
  const counts = { missed: missed.length, extra: extra.length };
  const counted = observed - counts.missed + counts.extra;
  if (observed === 0) return { observed, counted, ...counts, error: null, interval: null };
  const group = groupSize(seen);
  const missedPart = inClusters(missed, group, counts.missed, observed);
  const extraPart = inClusters(extra, group, counts.extra, observed + counts.extra);
  return {
    observed,
    counted,
    ...counts,
    error: counted / observed - 1,
    interval: differenceOf(
      { value: counts.extra / observed, low: odds(extraPart.low), high: odds(extraPart.high) },
      { value: counts.missed / observed, ...missedPart },
    ),
  };
}

interface Estimate extends Interval {
  readonly value: number;
}

/** The interval of the difference of two independent estimates, by MOVER; an error is never below -1. */
function differenceOf(a: Estimate, b: Estimate): Interval {
  const difference = a.value - b.value;
  return {
    low: Math.max(-1, difference - Math.hypot(a.value - a.low, b.high - b.value)),
    high: difference + Math.hypot(a.high - a.value, b.value - b.low),
  };
}

function odds(proportion: number): number {
  return proportion / (1 - proportion);
}

/** The exact interval of a proportion of errors that come in clusters. */
function inClusters(errors: readonly Crossing[], group: number, count: number, of: number): Interval {
  const squares = clusterSizes(errors, reach).reduce((sum, size) => sum + size * size, group * group);
  const factor = squares / (count + group);
  return exactInterval(count / factor, of / factor);
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
