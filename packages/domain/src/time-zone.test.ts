import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { addDays, daysBetween, instantOfWallClock, isTimeZone, offsetPeriodAt } from './time-zone.ts';

const iso = (instant: number) => new Date(instant).toISOString();

test('accepts IANA zones and refuses offsets, wrong names and garbage', () => {
  expect(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'].filter(isTimeZone)).toHaveLength(3);
  expect(['+01:00', 'Europe/Berlim', '', 'Mars/Olympus', ' Europe/Berlin'].filter(isTimeZone)).toEqual([]);
});

test('moves a wall clock forward over a gap, and chooses the first of two instants', () => {
  expect(iso(instantOfWallClock('2026-10-04T02:30', 'Australia/Sydney'))).toBe('2026-10-03T16:30:00.000Z');
  expect(iso(instantOfWallClock('2005-10-30T01:30', 'America/Los_Angeles'))).toBe('2005-10-30T08:30:00.000Z');
});

test('ends an offset period where the offset changes', () => {
  const period = offsetPeriodAt(Date.parse('2026-10-01T00:00:00Z'), 'Europe/Berlin');

  expect(period.offset).toBe(2 * 3_600_000);
  expect(iso(period.until)).toBe('2026-10-25T01:00:00.000Z');
  expect(offsetPeriodAt(period.until, 'Europe/Berlin').offset).toBe(3_600_000);
  expect(offsetPeriodAt(0, 'UTC').until).toBe(Number.POSITIVE_INFINITY);
});

test('counts whole days in either direction', () => {
  expect(daysBetween('2026-02-27', '2026-03-01')).toBe(2);
  expect(daysBetween('2026-03-01', '2026-02-27')).toBe(-2);
});

test('adds days to every date that exists, and to no other', () => {
  for (const [date, days] of [
    ['2024-02-28', 1],
    ['2026-01-01', -1],
    ['0000-01-01', -1],
    ['9999-12-31', 1],
    ['2026-11-23', 0],
    ['1970-03-01', -366],
  ] as const)
    expect(addDays(date, days)).toBe(Temporal.PlainDate.from(date).add({ days }).toString());
  for (const date of ['2026-02-30', '2026-13-01', 'today'])
    expect(() => addDays(date, 1)).toThrow(RangeError);
});
