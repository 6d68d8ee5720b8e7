import { expect, test } from 'vitest';
import type { Accuracy, Audit } from '../data/shapes.ts';
import {
  balanceOf,
  bySeverity,
  checkOf,
  checkOfAll,
  deliveryOf,
  type Facts,
  needAttention,
  type Verdict,
  verdictOf,
} from './verdict.ts';

type Expected = Record<
  Facts['connection'],
  Record<Facts['completeness'], Record<Facts['balance'], Record<Facts['check'], Verdict>>>
>;

const always = (verdict: Verdict) => ({ accurate: verdict, inaccurate: verdict, unknown: verdict });
const doubtful = { even: always('doubtful'), uneven: always('doubtful'), unknown: always('doubtful') };
const dead = { even: always('dead'), uneven: always('dead'), unknown: always('dead') };

const expected: Expected = {
  works: {
    complete: {
      even: { accurate: 'accurate', inaccurate: 'doubtful', unknown: 'accurate' },
      uneven: { accurate: 'doubtful', inaccurate: 'doubtful', unknown: 'doubtful' },
      unknown: { accurate: 'accurate', inaccurate: 'doubtful', unknown: 'unproven' },
    },
    late: doubtful,
    lost: doubtful,
  },
  faulty: { complete: doubtful, late: doubtful, lost: doubtful },
  dead: { complete: dead, late: dead, lost: dead },
};

const keys = <Key extends string>(record: Record<Key, unknown>) => Object.keys(record) as Key[];

test('makes one verdict of connection, completeness, balance and check', () => {
  for (const connection of keys(expected)) {
    for (const completeness of keys(expected[connection])) {
      for (const balance of keys(expected[connection][completeness])) {
        for (const [check, verdict] of Object.entries(expected[connection][completeness][balance])) {
          const facts = { connection, completeness, balance, check } as Facts;
          expect(verdictOf(facts), JSON.stringify(facts)).toBe(verdict);
        }
      }
    }
  }
});

test.each([
  /* The hall of the issue: 265 people "inside" after closing, 5 % more in than out. */
  [5_565, 5_300, true, 'uneven'],
  [5_565, 5_300, false, 'unknown'],
  [1_200, 1_266, false, 'uneven'],
  [1_200, 1_203, false, 'even'],
  [1_000, 1_000, true, 'even'],
  [99, 20, true, 'unknown'],
  [20, 99, false, 'unknown'],
  [100, 0, true, 'uneven'],
  /* A few people of a hundred can be chance. */
  [105, 100, true, 'even'],
  [0, 0, true, 'unknown'],
] as const)('judges %i in and %i out, everybody has left: %s', (came, left, isOver, balance) => {
  expect(balanceOf({ in: came, out: left }, isOver)).toBe(balance);
});

const way = (observed: number, low: number, high: number): Accuracy => ({
  ...{ observed, counted: observed },
  ...{ error: (low + high) / 2, interval: { low, high } },
});
const nobody: Accuracy = { observed: 0, counted: 0, error: null, interval: null };
const audit = (result: Audit['result']): Audit => ({
  ...{ id: 'a', device: 'CU-1', to: '2026-11-20T10:00:00Z', seen: { in: 9, out: 8 }, by: 'Kim', note: '' },
  result,
});

test.each([
  ['17 people', audit({ in: way(9, -1, 0.33), out: way(8, -1, -0.2) }), 'unknown'],
  ['99 people', audit({ in: way(99, -0.5, -0.2), out: nobody }), 'unknown'],
  ['100 people with an error', audit({ in: way(60, -0.3, -0.1), out: way(40, -0.1, 0.1) }), 'inaccurate'],
  ['100 people without one', audit({ in: way(60, -0.05, 0.02), out: way(40, -0.1, 0.1) }), 'accurate'],
  ['too many counted', audit({ in: way(200, 0.01, 0.1), out: nobody }), 'inaccurate'],
  ['a pending result', audit('pending'), 'unknown'],
  ['no check', null, 'unknown'],
] as const)('judges a check with %s', (_, checked, verdict) => {
  expect(checkOf(checked)).toBe(verdict);
});

test('one inaccurate door makes the store inaccurate, one that nobody has checked leaves it unknown', () => {
  const [good, bad] = [
    audit({ in: way(150, -0.05, 0.02), out: nobody }),
    audit({ in: way(150, -0.3, -0.2), out: nobody }),
  ];
  expect(checkOfAll([good, good])).toBe('accurate');
  expect(checkOfAll([good, null])).toBe('unknown');
  expect(checkOfAll([good, null, bad])).toBe('inaccurate');
  expect(checkOfAll([])).toBe('unknown');
});

test('three people before opening are no reason to act, a dead counter comes first', () => {
  const problems = ['visitors-while-closed', 'data-overdue', 'device-inactive'].map((kind) => ({ kind }));
  expect(bySeverity(problems).map(({ kind }) => kind)).toEqual([
    'device-inactive',
    'data-overdue',
    'visitors-while-closed',
  ]);
  expect(needAttention([{ kind: 'visitors-while-closed' }])).toBe(false);
  expect(needAttention([{ kind: 'constructor' }])).toBe(true);
});

test('divides problems into those of counters and those of deliveries', () => {
  const of = (...kinds: string[]) => deliveryOf(kinds.map((kind) => ({ kind })));
  expect(of()).toEqual({ connection: 'works', completeness: 'complete' });
  expect(of('pending')).toEqual({ connection: 'works', completeness: 'late' });
  expect(of('missing', 'conflict')).toEqual({ connection: 'works', completeness: 'lost' });
  expect(of('clock-unsynced')).toEqual({ connection: 'faulty', completeness: 'complete' });
  expect(of('clock-unsynced', 'offline')).toEqual({ connection: 'dead', completeness: 'complete' });
  expect(deliveryOf([], ['running', 'late']).completeness).toBe('late');
});
