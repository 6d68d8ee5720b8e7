import { expect, test } from 'vitest';
import { parseInstant, parseUtcDate } from './time.ts';

test('reads RFC 3339 with any offset and fraction', () => {
  expect(parseInstant('2026-11-20T10:15:30+01:00')).toBe(Date.UTC(2026, 10, 20, 9, 15, 30));
  expect(parseInstant('2026-11-20t10:15:30.1239z')).toBe(Date.UTC(2026, 10, 20, 10, 15, 30, 123));
  expect(parseInstant('2026-11-20 10:15:30-02:30')).toBe(Date.UTC(2026, 10, 20, 12, 45, 30));
});

test.each([
  '2026-11-20T10:15:30',
  '2026-11-20',
  '2026-02-30T00:00:00Z',
  '2026-11-20T25:00:00Z',
  '2026-11-20T10:15:30+0100',
  '2026-11-20T10:15:30Z[Europe/Berlin]',
  'yesterday',
  '',
])('refuses %j', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('reads a date as its first instant in UTC', () => {
  expect(parseUtcDate('2027-01-01')).toBe(Date.UTC(2027, 0, 1));
  expect(parseUtcDate('2027-02-29')).toBeUndefined();
  expect(parseUtcDate('2027-01-01T00:00:00Z')).toBeUndefined();
});
