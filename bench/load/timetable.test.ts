import { expect, test } from 'vitest';
import { Timetable } from './timetable.ts';

function timetable(): { takeDue: (now: number) => [number, number][] } {
  const offsets = [0.5, 0, 0.25];
  const table = new Timetable({ units: 3, every: 100, begin: 1_000, random: () => offsets.shift() ?? 0 });
  return {
    takeDue: (now) => {
      const taken: [number, number][] = [];
      table.takeDue(now, (unit, at) => taken.push([unit, at]));
      return taken;
    },
  };
}

test('assigns every unit its own moment in every period', () => {
  const { takeDue } = timetable();
  expect(takeDue(999)).toEqual([]);
  expect(takeDue(1_030)).toEqual([
    [1, 1_000],
    [2, 1_025],
  ]);
  expect(takeDue(1_030)).toEqual([]);
  expect(takeDue(1_100)).toEqual([
    [0, 1_050],
    [1, 1_100],
  ]);
});

test('returns all messages that have become due, with the instants at which they were due', () => {
  const all = timetable().takeDue(1_299.9);
  expect(all).toHaveLength(9);
  expect(all.at(-1)).toEqual([0, 1_250]);
});
