import type { CountEvent } from '@visitor-counter/test/count-events';
import { expect, test } from 'vitest';
import { Assignments } from '../truth/assignments.ts';
import { expectedEvents } from '../truth/expected-events.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { compareEvents } from './compare-events.ts';

const store = { sid: 'A', name: 'Alpha', isLive: false, timeZone: 'Europe/Berlin' };
const at = (text: string) => Date.parse(`${text}+01:00`);
const truth: UnitTruth = {
  serial: 'CU-1',
  isLive: false,
  timeZone: 'Europe/Berlin',
  profile: '',
  days: 2,
  startsOn: '2020-01-01',
  from: 0,
  until: Infinity,
  assignments: new Assignments('A'),
  crossings: [
    { at: at('2020-01-01T10:00:00'), direction: -1 },
    { at: at('2020-01-01T11:00:00'), direction: 1 },
    { at: at('2020-01-01T23:59:59'), direction: 1 },
    { at: at('2020-01-02T00:00:00'), direction: 1 },
  ],
};
const expected = expectedEvents(store, [truth]);
const first: CountEvent = { DateTime: '2020-01-01T10:00:00+01:00', StoreName: 'Alpha', Amount: 0 };
const second: CountEvent = { ...first, DateTime: '2020-01-01T11:00:00+01:00', Amount: 1 };
const third: CountEvent = { ...first, DateTime: '2020-01-01T23:59:59+01:00', Amount: 2 };
const fourth: CountEvent = { ...first, DateTime: '2020-01-02T00:00:00+01:00', Amount: 1 };
const events = [first, second, third, fourth];
const flawless = { events: 4, lost: 0, doubled: 0, wrong: 0 };

test('counts amounts from zero at every local midnight, and never below zero', () => {
  expect(expected.map(({ amount }) => amount)).toEqual([0, 1, 2, 1]);
  expect(compareEvents(expected, events)).toEqual(flawless);
});

test.each([
  ['an event that is missing', [first, second, third], { events: 3, lost: 1, wrong: 1 }],
  ['one that is repeated', [...events, fourth], { events: 5, doubled: 1 }],
  ['a wrong amount', [first, second, { ...third, Amount: 3 }, fourth], { wrong: 1 }],
  ['a wrong order', [second, first, third, fourth], { wrong: 2 }],
])('finds %s', (_, changed, found) => {
  expect(compareEvents(expected, changed)).toEqual({ ...flawless, ...found });
});
