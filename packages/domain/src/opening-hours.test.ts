import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOpenAt, nextOpening, type OpeningHours, openBetween } from './opening-hours.ts';
import { readOpeningHours } from './read-opening-hours.ts';

const berlin = { timeZone: 'Europe/Berlin' };
const at = (text: string) => Date.parse(text);

function read(value: unknown): OpeningHours {
  const result = readOpeningHours(value, 'openingHours');
  if (result.problems !== undefined) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function problemsOf(value: unknown) {
  const { problems = [] } = readOpeningHours(value, 'openingHours');
  return problems.map(({ path }) => path);
}

const shop = {
  week: { monday: ['13:30-20:00', '09:00-12:30'], friday: ['20:00-02:00'], saturday: ['00:00-24:00'] },
  exceptions: [
    { date: '2026-12-25', open: [], note: 'Christmas' },
    { date: '2026-11-29', open: ['13:00-18:00'] },
  ],
};

test('is open by weekday, except on dates with other hours, in local time', () => {
  const hours = read(shop);
  const open = openBetween(hours, berlin, at('2026-11-23T00:00+01:00'), at('2026-11-30T00:00+01:00'));
  expect(open.map(({ from, to }) => [new Date(from).toISOString(), new Date(to).toISOString()])).toEqual([
    ['2026-11-23T08:00:00.000Z', '2026-11-23T11:30:00.000Z'],
    ['2026-11-23T12:30:00.000Z', '2026-11-23T19:00:00.000Z'],
    ['2026-11-27T19:00:00.000Z', '2026-11-28T23:00:00.000Z'],
    ['2026-11-29T12:00:00.000Z', '2026-11-29T17:00:00.000Z'],
  ]);
  /* 25 December is a Friday: it is closed, and the night before it too. */
  expect(isOpenAt(hours, berlin, at('2026-12-25T21:00+01:00'))).toBe(false);
  expect(isOpenAt(hours, berlin, at('2026-12-26T01:00+01:00'))).toBe(true);
  expect(isOpenAt(null, berlin, 0)).toBe(true);
});

test('keeps the hours of a day on which the clocks change', () => {
  const hours = read({ week: { sunday: ['01:30-02:30', '03:30-23:00'] } });
  const minutes = (from: string, to: string) =>
    openBetween(hours, berlin, at(from), at(to)).map((one) => (one.to - one.from) / 60_000);
  expect(minutes('2026-03-28T23:00Z', '2026-03-29T22:00Z')).toEqual([30, 19.5 * 60]);
  expect(minutes('2026-10-24T22:00Z', '2026-10-25T23:00Z')).toEqual([120, 19.5 * 60]);
});

test('joins times that overlap or adjoin, and is closed from their end on', () => {
  const hours = read({ week: { friday: ['20:00-04:00'], saturday: ['02:00-03:00', '04:00-05:00'] } });
  const [from, to] = [at('2026-11-27T20:00+01:00'), at('2026-11-28T05:00+01:00')];
  expect(openBetween(hours, berlin, at('2026-11-26T00:00Z'), at('2026-11-30T00:00Z'))).toEqual([
    { from, to },
  ]);
  expect([from - 1, from, to - 1, to].map((instant) => isOpenAt(hours, berlin, instant))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('opens at the first instant of a local time that occurs twice', () => {
  const hours = read({ week: { sunday: ['02:30-10:00'] } });
  expect(nextOpening(hours, berlin, at('2026-10-24T12:00Z'))).toBe(at('2026-10-25T00:30Z'));
});

test('finds when a closed store opens next', () => {
  expect(nextOpening(read(shop), berlin, at('2026-11-23T21:00+01:00'))).toBe(at('2026-11-27T20:00+01:00'));
  expect(nextOpening(read({ week: {} }), berlin, 0)).toBeUndefined();
});

test('names what cannot be used', () => {
  const monday = (...spans: unknown[]) => problemsOf({ week: { monday: spans } });
  expect(monday('09:00-24:00', '00:00-08:00')).toEqual([]);
  expect(monday('9:00-12:00')).toEqual(['openingHours.week.monday[0]']);
  expect(monday('09:00-09:00', '24:00-25:00', 7)).toHaveLength(3);
  expect(monday('09:00-12:00', '11:59-13:00')).toEqual(['openingHours.week.monday']);
  expect(monday('20:00-02:00', '22:00-23:00')).toEqual(['openingHours.week.monday']);
  expect(monday(...Array.from({ length: 7 }, (_, hour) => `0${hour}:00-0${hour}:30`))).toHaveLength(1);
  expect(problemsOf({ week: { Monday: [] } })).toEqual(['openingHours.week.Monday']);
  expect(problemsOf({ week: {}, exceptions: [{ date: '2026-02-29', open: [] }, 5] })).toEqual([
    'openingHours.exceptions[0].date',
    'openingHours.exceptions[1]',
  ]);
  const twice = { date: '2026-02-28', open: [] };
  expect(problemsOf({ week: {}, exceptions: [twice, twice] })).toEqual(['openingHours.exceptions[1].date']);
  expect(problemsOf({ week: {}, exceptions: [{ ...twice, note: 'x'.repeat(101) }] })).toHaveLength(1);
  expect(problemsOf(null)).toHaveLength(2);
  expect(problemsOf({})).toEqual(['openingHours.week']);
});

const time = fc.nat(24 * 4 - 1).map((quarter) => {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(quarter / 4))}:${two((quarter % 4) * 15)}`;
});
const span = fc
  .tuple(time, time)
  .filter(([from, to]) => from !== to)
  .map((pair) => pair.join('-'));
const days = fc.array(fc.array(span, { maxLength: 1 }), { minLength: 7, maxLength: 7 });
const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

test('is open while the local clock is within a span', () => {
  const clock = new Intl.DateTimeFormat('sv', {
    timeZone: 'Asia/Kolkata',
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const begin = at('2026-11-20T00:00Z');
  fc.assert(
    fc.property(days, fc.nat(14 * 96), (week, quarters) => {
      const hours = read({ week: Object.fromEntries(week.map((spans, day) => [names[day], spans])) });
      const instant = begin + quarters * 900_000;
      const [date = '', wall = ''] = clock.format(instant).split(' ');
      const day = new Date(date).getUTCDay();
      const within = (spans: readonly string[], isYesterday: boolean) =>
        spans.some((one) => {
          const [from = '', to = ''] = one.split('-');
          if (isYesterday) return to < from && wall < to;
          return wall >= from && (wall < to || to < from);
        });
      const expected = within(week[day] ?? [], false) || within(week[(day + 6) % 7] ?? [], true);
      expect(isOpenAt(hours, { timeZone: 'Asia/Kolkata' }, instant)).toBe(expected);
    }),
    { numRuns: 200 },
  );
});
