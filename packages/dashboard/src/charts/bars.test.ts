import { expect, test } from 'vitest';
import type { Visitors } from '../data/visitors.ts';
import { barsOf, folded } from './bars.ts';
import { positionOf, ticksTo } from './scale.ts';

const hour = (n: number, visitors: number, before: number | null, more: object = {}) => ({
  ...{ date: '2026-11-23', from: at(n), to: at(n + 1), visitors, out: 0, staff: 0, before, open: true },
  ...{ incomplete: [], transactions: null, conversion: null, ...more },
});
const at = (n: number) => `2026-11-23T${String(n).padStart(2, '0')}:00:00.000+01:00`;
const total = { visitors: 0, out: 0, staff: 0, before: 0, transactions: null, conversion: null };
const answerOf = (items: Visitors['items']): Visitors => ({
  ...{ bucket: 'hour', from: '2026-11-23', to: '2026-11-23', compared: null, total, items },
  ...{ days: { average: null, best: null, counted: 0 } },
});
const shown = (items: Visitors['items']) =>
  folded(barsOf(answerOf(items)), 'hour').map(({ from }) => Number(from.slice(11, 13)));

test('leaves out empty hours at both ends, and none between', () => {
  const visitors = [0, 0, 4, 0, 2, 0, 0];
  expect(shown(visitors.map((n, index) => hour(index, n, 0)))).toEqual([2, 3, 4]);
  expect(shown(visitors.map((n, index) => hour(index, n, index === 1 ? 3 : 0)))).toEqual([1, 2, 3, 4]);
});

test('leaves out closed hours wherever they are, also if people came, but not if all were closed', () => {
  const open = [false, true, true, false, false, true, false];
  const hours = (isOpen: (index: number) => boolean) =>
    open.map((_, index) => hour(index, index === 4 ? 1 : 0, 0, { open: isOpen(index) }));
  expect(shown(hours((index) => open[index] === true))).toEqual([1, 2, 5]);
  expect(shown(hours(() => false))).toEqual([4]);
});

test('shows what is still to come as in the compared day, and compares the running hour up to the same minute', () => {
  const answer = answerOf([hour(9, 20, 18), hour(10, 5, 7, { incomplete: ['running', 'late'] })]);
  const compared = [hour(9, 18, null), hour(10, 30, null), hour(11, 40, null)];
  expect(barsOf(answer, compared).map(({ visitors, before, ghost }) => [visitors, before, ghost])).toEqual([
    [20, 18, 18],
    [5, 7, 30],
    [null, null, 40],
  ]);
  expect(barsOf(answer, compared)[1]).toMatchObject({ isRunning: true, reasons: ['late'] });
});

test('places an instant within its bar, and nowhere if its hour is folded', () => {
  const plot = { width: 120, height: 10, left: 20, bottom: 0, top: 0 };
  const bars = [hour(9, 1, 1), hour(14, 1, 1)];
  expect(positionOf(plot, bars, Date.parse(at(9)) + 900_000)).toBe(32.5);
  expect(positionOf(plot, bars, Date.parse(at(10)))).toBe(70);
  expect(positionOf(plot, bars, Date.parse(at(12)))).toBeUndefined();
  expect(positionOf(plot, bars, Date.parse(at(14)) + 1_800_000)).toBe(95);
});

test.each([0, 1, 3, 7, 10, 99, 704, 12_345])('has few round lines up to %i', (max) => {
  const ticks = ticksTo(max);
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
  expect(ticks.length).toBeLessThanOrEqual(6);
  expect(ticks.every(Number.isInteger)).toBe(true);
});
