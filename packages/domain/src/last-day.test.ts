import { expect, test } from 'vitest';
import { type FullDay, lastDayOf, type StoreDays } from './last-day.ts';
import { addDays, daysBetween } from './time-zone.ts';

/** A Friday. */
const friday = '2026-11-20';

const full = (visitors: number, more: Partial<FullDay> = {}): FullDay => ({
  visitors,
  in: visitors,
  out: visitors,
  isOpen: true,
  isHoliday: false,
  isComplete: true,
  ...more,
});

/** The days of four months until two days after that Friday. */
function daysOf(dayOn: (date: string) => FullDay | undefined): ReadonlyMap<string, FullDay> {
  const dates = Array.from({ length: 125 }, (_, n) => addDays(friday, 2 - n));
  return new Map(
    dates.flatMap((date) => {
      const day = dayOn(date);
      return day ? [[date, day] as const] : [];
    }),
  );
}

/** The visitors of Fridays, the latest first; every other day has 300. */
function store(name: string, fridays: readonly (number | FullDay)[]): StoreDays<string> {
  return {
    store: name,
    days: daysOf((date) => {
      const back = daysBetween(date, friday);
      const given = back % 7 === 0 ? fridays[back / 7] : 300;
      return typeof given === 'number' ? full(given) : given;
    }),
  };
}

const eight = [120, 110, 130, 140, 150, 115, 125, 135];

test('compares the visitors of a store with the lowest and the highest of the last eight of its weekday', () => {
  expect(lastDayOf([store('A', [200, ...eight, 999])], friday)).toEqual({
    date: friday,
    visitors: 200,
    normal: { low: 110, high: 150 },
    stores: 1,
    leftOut: 0,
    unusual: undefined,
    error: 0,
  });
});

test.each([
  ['holidays', { isHoliday: true }],
  ['days on which the store was closed', { isOpen: false }],
  ['incomplete days', { isComplete: false }],
])('leaves %s out of what is normal, and takes earlier days instead', (_, why) => {
  const days = [200, full(900, why), ...eight];
  expect(lastDayOf([store('A', days)], friday)?.normal).toEqual({ low: 110, high: 150 });
  expect(lastDayOf([store('A', days.slice(0, -1))], friday)).toBeUndefined();
});

test.each([
  ['a holiday', full(200, { isHoliday: true })],
  ['incomplete', full(200, { isComplete: false })],
  ['one on which many more came in than went out', full(200, { in: 200, out: 159 })],
  ['one with few people', full(99)],
])('says nothing of a day that is %s', (_, day) => {
  expect(lastDayOf([store('A', [day, ...eight])], friday)).toBeUndefined();
});

test('takes the last day on which a store was open', () => {
  const closed = store('A', [200, ...eight]);
  const weekend: StoreDays<string> = {
    store: 'A',
    days: daysOf((date) => (date > friday ? full(0, { isOpen: false }) : closed.days.get(date))),
  };
  expect(lastDayOf([weekend], addDays(friday, 2))).toMatchObject({ date: friday, visitors: 200 });
  const never = { store: 'A', days: daysOf(() => full(0, { isOpen: false })) };
  expect(lastDayOf([never], friday)).toBeUndefined();
});

test('adds stores, and names the one that is farthest outside of what is normal for it', () => {
  const half = eight.map((n) => n * 2);
  const stores = [store('A', [160, ...eight]), store('B', [100, ...half]), store('C', [130, ...eight])];
  expect(lastDayOf(stores, friday)).toMatchObject({
    visitors: 390,
    normal: { low: 440, high: 600 },
    stores: 3,
    unusual: { store: 'B', visitors: 100, normal: { low: 220, high: 300 } },
  });
  const usual = [store('A', [120, ...eight]), store('C', [130, ...eight])];
  expect(lastDayOf(usual, friday)?.unusual).toBeUndefined();
});

test('leaves stores out of which a number is doubtful, and says nothing if they are half of all', () => {
  const [well, lacking] = [
    store('A', [120, ...eight]),
    store('B', [full(120, { isComplete: false }), ...eight]),
  ];
  expect(lastDayOf([well, well, lacking], friday)).toMatchObject({ visitors: 240, stores: 2, leftOut: 1 });
  expect(lastDayOf([well, lacking], friday)).toBeUndefined();
});

test('returns how far the visitors may be wrong: half of what in and out differ, of each store', () => {
  const more = store('A', [full(200, { in: 200, out: 190 }), ...eight]);
  const less = store('B', [full(200, { in: 200, out: 210 }), ...eight]);
  expect(lastDayOf([more, less], friday)?.error).toBe(0.025);
});

test('the error is what checks of doors found, if that is more than in and out show, and enough people were seen', () => {
  const checked = (observed: number, counted: number) =>
    lastDayOf([{ ...store('A', [200, ...eight]), checked: { observed, counted } }], friday)?.error;
  expect(checked(100, 94)).toBeCloseTo(0.06);
  expect(checked(200, 210)).toBeCloseTo(0.05);
  expect(checked(99, 50)).toBe(0);
});
