import { expect, test } from 'vitest';
import { atOffset, clockAt, dateWithWeekday, offsetIn, period, timeAt, timeOf } from './dates.ts';
import { setLocale } from './locale.ts';

test('writes a time with its seconds, and in a zone', () => {
  setLocale('en', []);
  const at = new Date(2026, 10, 20, 9, 5, 7).getTime();
  expect(clockAt(at)).toBe('09:05:07');
  expect(timeAt(Date.UTC(2026, 10, 20, 9, 5), 'Asia/Tokyo')).toBe('18:05');
});

test.each([
  ['2026-11-20T10:15:30.123+05:45', '+05:45', '14:50'],
  ['2026-11-20T10:15:30-03:30', '-03:30', '05:35'],
  ['2026-11-20T10:15:30.123Z', 'Z', '09:05'],
])('writes a time at the offset of %s', (instant, offset, time) => {
  setLocale('en', []);
  expect(offsetIn(instant)).toBe(offset);
  expect(timeOf(atOffset(Date.UTC(2026, 10, 20, 9, 5), instant))).toBe(time);
});

test('writes the year of a day that is not in the present year', () => {
  setLocale('en', []);
  const year = new Date().getFullYear();
  expect(dateWithWeekday(`${year}-11-20`)).not.toContain(String(year));
  expect(period('2019-11-20', '2019-11-20')).toBe('Wed, 20 Nov 2019');
});
