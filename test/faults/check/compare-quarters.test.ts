import { expect, test } from 'vitest';
import { Assignments } from '../truth/assignments.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { type StoredQuarter, wrongQuarters } from './compare-quarters.ts';

const truth: UnitTruth = {
  serial: 'CU-1',
  timeZone: 'UTC',
  profile: '',
  days: 1,
  startsOn: '1970-01-01',
  from: 0,
  until: Infinity,
  isLive: false,
  assignments: new Assignments('A'),
  crossings: [
    { at: 900_000, direction: -1 },
    { at: 900_001, direction: 1 },
    { at: 900_002, direction: 1 },
    { at: 1_800_000, direction: -1 },
  ],
};
const first: StoredQuarter = { sid: 'A', quarter: 1, sum: 1, floor: 2 };
const second: StoredQuarter = { sid: 'A', quarter: 2, sum: -1, floor: 0 };

test('finds no difference if every quarter hour matches its crossings', () => {
  expect(wrongQuarters([truth], [first, second])).toBe(0);
  expect(wrongQuarters([truth], [first, second, { ...second, quarter: 3, sum: 0 }])).toBe(0);
});

test.each([
  ['a sum', [{ ...first, sum: 2 }, second], 1],
  ['a floor', [{ ...first, floor: 1 }, second], 1],
  ['a quarter hour that is missing', [first], 1],
  ['one that is another store’s', [first, { ...second, sid: 'B' }], 2],
])('finds %s', (_, quarters, wrong) => {
  expect(wrongQuarters([truth], quarters)).toBe(wrong);
});
