import { expect, test } from 'vitest';
import { Assignments } from '../truth/assignments.ts';
import type { TrueCrossing } from '../truth/unit-truth.ts';
import { compareRows, type StoredRow } from './compare-rows.ts';

const first: StoredRow = { journal: 1, sequence: 1, at: 1_000, direction: 1, sid: 'A' };
const second: StoredRow = { journal: 1, sequence: 2, at: 2_000, direction: -1, sid: 'A' };
const third: StoredRow = { journal: 1, sequence: 3, at: 3_000, direction: 1, sid: 'A' };
const rows = [first, second, third];
const crossings: TrueCrossing[] = [
  { at: 1_000, direction: 1 },
  { at: 2_000, direction: -1 },
  { at: 3_000, direction: 1 },
];
const assignments = new Assignments('A');
const flawless = { crossings: 3, lost: 0, doubled: 0, invented: 0, misplaced: 0 };

test('finds no difference if every crossing is stored once', () => {
  expect(compareRows({ crossings, assignments }, rows)).toEqual(flawless);
});

test.each([
  ['a crossing that is missing', [first, third], { crossings: 2, lost: 1 }],
  ['one under two numbers', [...rows, { ...third, sequence: 4 }], { crossings: 4, doubled: 1 }],
  ['one under two journals', [...rows, { ...first, journal: 2 }], { crossings: 4, doubled: 1 }],
  ['one that never happened', [...rows, { ...third, at: 4_000 }], { crossings: 4, invented: 1 }],
  ['the other direction', [first, { ...second, direction: 1 }, third], { lost: 1, invented: 1 }],
  ['a hole in the numbers', [first, second, { ...third, sequence: 4 }], { misplaced: 1 }],
  ['another store', [first, second, { ...third, sid: 'B' }], { misplaced: 1 }],
])('finds %s', (_, changed, found) => {
  expect(compareRows({ crossings, assignments }, changed)).toEqual({ ...flawless, ...found });
});

test('expects crossings in the store of the device at their instant', () => {
  const moved = new Assignments('A');
  moved.move(2_000, 'B');
  moved.move(3_000, 'A');

  const following = [first, { ...second, sid: 'B' }, third];
  expect(compareRows({ crossings, assignments: moved }, following)).toEqual(flawless);
});
