import { expect, test } from 'vitest';
import { accuracyOf } from './accuracy.ts';
import { matchPassages } from './accuracy-matching.ts';
import type { Crossing, Direction } from './crossing.ts';

const minute = 60_000;

/** Crossings at seconds, those below 0 outwards. */
function at(...seconds: readonly number[]): Crossing[] {
  return seconds.map((second) => ({
    at: 1_000_000 + Math.abs(second) * 1_000,
    direction: second < 0 ? -1 : 1,
  }));
}

function late(crossings: readonly Crossing[], ms: number): Crossing[] {
  return crossings.map((one) => ({ ...one, at: one.at + ms }));
}

test('counts missed and extra crossings in each direction', () => {
  const passages = late(at(10, 20, -25, 31, 40, -50), 900);
  const crossings = at(10, -20, -25, 31, 35, 40, -50);
  expect(accuracyOf(passages, crossings)).toMatchObject({
    lag: 900,
    in: { observed: 4, counted: 4, missed: 1, extra: 1, error: 0 },
    out: { observed: 2, counted: 3, missed: 0, extra: 1, error: 0.5 },
  });
});

test('reports no error for a direction in which nobody was seen', () => {
  const { out } = accuracyOf(at(10, 20), at(10, -15, 20));
  expect(out).toEqual({ observed: 0, counted: 1, missed: 0, extra: 1, error: null, interval: null });
});

test('reports that everybody was missed if the unit counted nobody', () => {
  const { in: entries } = accuracyOf(at(10, 20, 30), []);
  expect(entries).toMatchObject({ observed: 3, counted: 0, missed: 3, error: -1 });
  expect(entries.interval?.low).toBe(-1);
});

test('leaves out people before the first passage and after the last one', () => {
  const crossings = at(1, 4, 10, 20, 30, 36, 44);
  expect(accuracyOf(late(at(10, 20, 30), 1_200), crossings).in).toMatchObject({ counted: 3, extra: 0 });
});

test.each([0, 1_900, -20_000, 25_000])('finds a lag of %i ms', (lag) => {
  const random = seeded(5);
  let second = 10;
  const seconds = Array.from({ length: 40 }, () => (second += 1 + 12 * random()));
  const passages = late(at(...seconds), lag).map((one, index) => ({ ...one, at: one.at + (index % 7) * 60 }));
  const { crossingOf, lag: found } = matchPassages(passages, at(...seconds));
  expect(Math.abs(found - lag)).toBeLessThan(400);
  expect(crossingOf).toEqual(seconds.map((_, index) => index));
});

interface Door {
  readonly passages: number;
  readonly missed: number;
  readonly extra: number;
  readonly wrong: number;
  /** How many passages are those of a group, and how often the unit counts one person for the whole group. */
  readonly groups?: number;
  readonly merged?: number;
  readonly isBursty?: boolean;
}

test.each<Door>([
  { passages: 30, missed: 0.1, extra: 0.05, wrong: 0 },
  { passages: 60, missed: 0.05, extra: 0.01, wrong: 0.05 },
  { passages: 100, missed: 0.01, extra: 0.01, wrong: 0, groups: 0.4, merged: 0.3 },
  { passages: 200, missed: 0.1, extra: 0.05, wrong: 0.02, groups: 0.3, merged: 0.1, isBursty: true },
])('contains the true error in nearly all audits: %o', (door) => {
  const random = seeded(11);
  const audits = Array.from({ length: 1_000 }, () => simulated(door, random));
  for (const [name, direction] of [
    ['in', 1],
    ['out', -1],
  ] as const) {
    const sum = (list: 'passages' | 'crossings') =>
      audits.reduce(
        (total, audit) => total + audit[list].filter((one) => one.direction === direction).length,
        0,
      );
    const truth = sum('crossings') / sum('passages') - 1;
    const containing = audits.slice(0, 125).filter(({ passages, crossings }) => {
      const { interval } = accuracyOf(passages, crossings)[name];
      return interval === null || (interval.low <= truth && truth <= interval.high);
    });
    expect(containing.length).toBeGreaterThanOrEqual(118);
  }
});

/** An audit in which the person taps 0.3 to 2 s late, with a jitter, on a phone whose clock is up to 2 s off. */
function simulated(
  { passages: most, missed, extra, wrong, groups = 0, merged = 0, isBursty = false }: Door,
  random: () => number,
) {
  const passages: Crossing[] = [];
  const crossings: Crossing[] = [];
  const lag = 300 + 1_700 * random() + 4_000 * (random() - 0.5);
  let [now, pace] = [100 * minute, 1];
  while (passages.length < most) {
    if (isBursty && random() < 0.1) pace = [0.2, 1, 5][Math.floor(random() * 3)] ?? 1;
    now -= (Math.log(1 - random()) * 9_000) / pace;
    const direction: Direction = random() < 0.5 ? 1 : -1;
    const size = random() < groups ? 2 + Math.floor(random() * 3) : 1;
    const isMerged = random() < merged;
    for (let person = 0; person < size; person += 1) {
      now += person === 0 ? 0 : 300 + 700 * random();
      passages.push({ at: now + lag + 800 * random(), direction });
      const isCounted = !(isMerged && person > 0) && random() >= missed;
      if (isCounted)
        crossings.push({ at: now, direction: random() < wrong ? (direction === 1 ? -1 : 1) : direction });
      if (random() < extra)
        crossings.push({ at: now + 9_000 * (random() - 0.5), direction: random() < 0.5 ? 1 : -1 });
    }
  }
  return { passages, crossings };
}

/** Pseudo-random numbers in [0, 1), by the generator of Park and Miller. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
