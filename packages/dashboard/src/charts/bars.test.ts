import { expect, test } from 'vitest';
import type { OpenTime } from '../data/shapes.ts';
import type { Visitors } from '../data/visitors.ts';
import { positionOf } from './axes.tsx';
import { barsOf, folded, quartersOf } from './bars.ts';

const monday = '2026-11-23';
const weekBefore = '2026-11-16';
const hour = (n: number, visitors: number, before: number | null, more: object = {}, date = monday) => ({
  date,
  from: at(n, date),
  to: at(n + 1, date),
  visitors,
  out: 0,
  staff: 0,
  comparable: visitors,
  before,
  open: true,
  incomplete: [],
  transactions: null,
  conversion: null,
  ...more,
});
const at = (n: number, date = monday) => `${date}T${String(n).padStart(2, '0')}:00:00.000+01:00`;
const compared = { from: weekBefore, to: weekBefore, until: null };
const total = {
  visitors: 0,
  out: 0,
  staff: 0,
  comparable: 0,
  before: 0,
  transactions: null,
  conversion: null,
};
const answerOf = (items: Visitors['items']): Visitors => ({
  bucket: 'hour',
  from: items[0]?.date ?? '',
  to: monday,
  compared,
  total,
  items,
  days: { average: null, best: null, counted: 0, begun: 0, recorded: 0 },
});
const shown = (items: Visitors['items']) =>
  folded(barsOf(answerOf(items)), 'hour').map(({ from }) => Number(from.slice(11, 13)));

test('leaves out empty hours at both ends, and none between', () => {
  const visitors = [0, 0, 4, 0, 2, 0, 0];
  expect(shown(visitors.map((n, index) => hour(index, n, 0)))).toEqual([2, 3, 4]);
  expect(shown(visitors.map((n, index) => hour(index, n, index === 1 ? 3 : 0)))).toEqual([1, 2, 3, 4]);
});

test('has no bar for an hour in which the store had not begun to count', () => {
  const before = { incomplete: ['not-started'] };
  const bars = barsOf(answerOf([hour(9, 0, null, before), hour(10, 0, null), hour(11, 3, null, before)]));
  expect(bars.map(({ visitors }) => visitors)).toEqual([null, 0, 3]);
  expect(folded(bars, 'hour').map(({ from }) => from)).toEqual([at(11)]);
});

test('leaves out closed hours wherever they are, also if people came, but not if all were closed', () => {
  const open = [false, true, true, false, false, true, false];
  const hours = (isOpen: (index: number) => boolean) =>
    open.map((_, index) => hour(index, index === 4 ? 1 : 0, 0, { open: isOpen(index) }));
  expect(shown(hours((index) => open[index] === true))).toEqual([1, 2, 5]);
  expect(shown(hours(() => false))).toEqual([4]);
});

test('shows hours that are still to come as on the compared day, and compares the running hour up to the same minute', () => {
  const answer = answerOf([hour(9, 20, 18), hour(10, 5, 7, { incomplete: ['running', 'late'] })]);
  const before = weekOf([18, 30, 40]);
  expect(barsOf(answer, before).map(({ visitors, before, ghost }) => [visitors, before, ghost])).toEqual([
    [20, 18, 18],
    [5, 7, 30],
    [null, null, 40],
  ]);
  expect(barsOf(answer, before)[1]).toMatchObject({ isRunning: true, reasons: ['late'] });
});

/** The visitors of hours a week before, from nine o'clock on. */
function weekOf(visitors: readonly number[], date = weekBefore) {
  return visitors.map((n, index) => hour(9 + index, n, null, {}, date));
}

test('shows hours that are still to come on the last of two days, and not on the first', () => {
  const [sunday, sundayBefore] = ['2026-11-22', '2026-11-15'];
  const items = [
    ...[9, 10, 11].map((n) => hour(n, n, 0, {}, sunday)),
    hour(9, 3, 0, { incomplete: ['running'] }),
  ];
  const answer = {
    ...answerOf(items),
    compared: { from: sundayBefore, to: weekBefore, until: at(9, weekBefore) },
  };
  const before = [...weekOf([1, 2, 3], sundayBefore), ...weekOf([18, 30, 40])];
  expect(barsOf(answer, before).map(({ from, ghost }) => [from.slice(0, 13), ghost])).toEqual([
    ...[9, 10, 11].map((n) => [at(n, sunday).slice(0, 13), 0]),
    [at(9).slice(0, 13), 18],
    [at(10).slice(0, 13), 30],
    [at(11).slice(0, 13), 40],
  ]);
});

/** The hours of a night in Berlin in which clocks are set back at three, so that two begin at 02:00. */
function longNight(visitors: readonly number[], date: string, before: readonly (number | null)[] = []) {
  const begins = ['01:00:00.000+02:00', '02:00:00.000+02:00', '02:00:00.000+01:00', '03:00:00.000+01:00'];
  return visitors.map((n, index) => {
    const [from, to] = [`${date}T${begins[index]}`, `${date}T${begins[index + 1] ?? '04:00:00.000+01:00'}`];
    return { ...hour(0, n, before[index] ?? null, {}, date), from, to };
  });
}

const running = { incomplete: ['running'] };

test('shows each hour that is still to come once, also if the compared day has two at 02:00', () => {
  const [day, longDay] = ['2026-11-01', '2026-10-25'];
  const answer = {
    ...answerOf([hour(1, 2, 4, running, day)]),
    compared: { from: longDay, to: longDay, until: null },
  };
  const bars = barsOf(answer, longNight([4, 7, 9, 3], longDay));
  expect(bars.map(({ from, ghost }) => [from.slice(11, 16), ghost])).toEqual([
    ['01:00', 4],
    ['02:00', 9],
    ['03:00', 3],
  ]);
});

test('shows hours that are still to come while the compared day has no such hour', () => {
  const [day, shortDay] = ['2026-04-05', '2026-03-29'];
  const answer = {
    ...answerOf([hour(2, 2, null, running, day)]),
    compared: { from: shortDay, to: shortDay, until: null },
  };
  const before = [1, 3, 4].map((n) => hour(n, 10 * n, null, {}, shortDay));
  expect(barsOf(answer, before).map(({ from, ghost }) => [from.slice(11, 16), ghost])).toEqual([
    ['02:00', null],
    ['03:00', 30],
    ['04:00', 40],
  ]);
});

test('shows the people inside at the end of each hour, also where two hours begin at 02:00', () => {
  const day = '2026-10-25';
  const times = ['01:45:00.000+02:00', '02:00:00.000+02:00', '02:45:00.000+02:00', '02:00:00.000+01:00'];
  const [a, b, c, d] = times.map((time) => `${day}T${time}`);
  const quarters = [
    { from: a ?? '', to: b ?? '', occupancy: 10, corrections: [] },
    { from: c ?? '', to: d ?? '', occupancy: 20, corrections: [] },
  ];
  const bars = barsOf(answerOf(longNight([5, 6, 1], day)));
  expect(bars.map((bar) => quartersOf(bar, quarters).at(-1)?.occupancy)).toEqual([10, 20, undefined]);
});

test('draws hours that are still to come by the opening hours of today, also if the store was closed on the compared day', () => {
  const answer = answerOf([
    hour(8, 0, 0, { open: false }),
    hour(9, 2, 1, { open: false, incomplete: ['running'] }),
  ]);
  const shownWhile = (openToday: OpenTime[] | null, wasOpen = true) => {
    const before = weekOf([18, 30, 40]).map((item) => ({ ...item, open: wasOpen }));
    return folded(barsOf(answer, before, openToday), 'hour').map(({ from }) => from);
  };
  expect(shownWhile([{ from: at(10), to: at(18) }])).toEqual([at(10), at(11)]);
  expect(shownWhile([{ from: at(10), to: at(18) }], false)).toEqual([at(10), at(11)]);
  expect(shownWhile([{ from: at(10), to: at(11) }], false)).toEqual([at(10)]);
  expect(shownWhile(null)).toEqual([at(10), at(11)]);
  /* Closed all day: only the hour in which people came is left. */
  expect(shownWhile([])).toEqual([at(9)]);
});

test('places an instant within its bar, and nowhere if its hour is folded', () => {
  const plot = { width: 120, height: 10, left: 20, bottom: 0, top: 0 };
  const bars = [hour(9, 1, 1), hour(14, 1, 1)];
  expect(positionOf(plot, bars, Date.parse(at(9)) + 900_000)).toBe(32.5);
  expect(positionOf(plot, bars, Date.parse(at(10)))).toBe(70);
  expect(positionOf(plot, bars, Date.parse(at(12)))).toBeUndefined();
  expect(positionOf(plot, bars, Date.parse(at(14)) + 1_800_000)).toBe(95);
});
