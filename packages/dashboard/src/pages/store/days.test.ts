import { expect, test } from 'vitest';
import { compareOf, daysOf, weeksOf } from './days.ts';

test.each([
  ['today', '2026-03-01', '2026-03-01'],
  ['yesterday', '2026-02-28', '2026-02-28'],
  ['7d', '2026-02-23', '2026-03-01'],
  ['4w', '2026-02-02', '2026-03-01'],
  ['month', '2026-03-01', '2026-03-01'],
  ['year', '2026-01-01', '2026-03-01'],
] as const)('the range %s has the days from %s to %s', (range, from, to) => {
  expect(daysOf(range, '2026-03-01')).toEqual({ from, to });
});

test('compares the month and the year up to today with the one before, and other ranges as chosen', () => {
  expect(compareOf({ range: 'year', compare: 'previous' })).toBe('previous-year');
  expect(compareOf({ range: 'year', compare: 'weekdays' })).toBe('weekdays');
  expect(compareOf({ range: 'month', compare: 'previous' })).toBe('previous-month');
  expect(compareOf({ range: '7d', compare: 'previous' })).toBe('previous');
});

test('shows the hours of the week over four weeks if the range is less than a week', () => {
  expect(weeksOf({ from: '2026-03-01', to: '2026-03-01' })).toEqual({ from: '2026-02-02', to: '2026-03-01' });
  const week = { from: '2026-02-23', to: '2026-03-01' };
  expect(weeksOf(week)).toEqual(week);
});
