import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DayCounter, isDirectionDoubtful, scoreAfterDay } from './direction-doubt.ts';

const recording = new URL('../../demo/recording/calit2.csv', import.meta.url);

/** The directions of each recorded day; entries and exits are spread over their half hour. */
function recordedDays(): (1 | -1)[][] {
  const days: (1 | -1)[][] = Array.from({ length: 105 }, () => []);
  for (const line of readFileSync(recording, 'utf8').split('\n')) {
    const [, day, entries, exits] = /^(\d+),[\d:]+,(\d+),(\d+)$/.exec(line)?.map(Number) ?? [];
    if (day === undefined || entries === undefined || exits === undefined) continue;
    const spread = (count: number, direction: 1 | -1) =>
      Array.from({ length: count }, (_, index) => ({ part: (index + 0.5) / count, direction }));
    const people = [...spread(exits, -1), ...spread(entries, 1)].sort((a, b) => a.part - b.part);
    days[day]?.push(...people.map(({ direction }) => direction));
  }
  return days;
}

const opposite = (direction: 1 | -1): 1 | -1 => (direction === 1 ? -1 : 1);

/** After how many crossings of which day the directions are first doubtful. */
function firstDoubt(days: readonly (readonly (1 | -1)[])[], swapped: 1 | -1) {
  let score = 0;
  for (const [index, day] of days.entries()) {
    const today = new DayCounter();
    for (const [count, direction] of day.entries()) {
      today.add(swapped === 1 ? direction : opposite(direction));
      if (isDirectionDoubtful(score, today)) return { day: index, crossings: count + 1 };
    }
    score = scoreAfterDay(score, today);
  }
  return undefined;
}

test('finds nothing doubtful in 15 weeks of a real door', () => {
  expect(
    recordedDays()
      .flat()
      .filter((direction) => direction === 1),
  ).toHaveLength(19_597);
  expect(firstDoubt(recordedDays(), 1)).toBeUndefined();
});

test('finds the same door with swapped beams within 40 crossings of its first busy day', () => {
  const [, ...fromMonday] = recordedDays();
  const found = firstDoubt(fromMonday, -1);
  expect(found?.day).toBe(0);
  expect(found?.crossings).toBeLessThanOrEqual(40);
});

test('finds beams that are swapped after weeks of right counting within the next busy day', () => {
  const days = recordedDays();
  for (const swappedFrom of [8, 22, 57, 85]) {
    const after = days.slice(swappedFrom).map((day) => day.map(opposite));
    const found = firstDoubt([...days.slice(0, swappedFrom), ...after], 1);
    expect(found?.day).toBeGreaterThanOrEqual(swappedFrom);
    expect(found?.day).toBeLessThanOrEqual(swappedFrom + 1);
  }
});

test('doubts a store that has only exits from the tenth exit on', () => {
  expect(firstDoubt([Array.from({ length: 30 }, () => -1 as const)], 1)).toEqual({ day: 0, crossings: 10 });
});

test('ends the doubt on the first good morning after the repair', () => {
  let score = 0;
  const swapped = { entries: 80, exits: 90, occupancy: 78, peak: 78 };
  for (let day = 0; day < 30; day += 1) score = scoreAfterDay(score, swapped);
  expect(isDirectionDoubtful(score, new DayCounter())).toBe(true);
  expect(isDirectionDoubtful(score, { entries: 13, exits: 2, occupancy: 12, peak: 13 })).toBe(false);
});
