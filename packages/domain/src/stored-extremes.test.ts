import { expect, test } from 'vitest';
import { businessDayOf } from './business-day.ts';
import { boundedInstant, lastInstant, utcText } from './time.ts';
import { zonedFormatter } from './zoned-formatter.ts';
import { zonedLength, zonedWriter } from './zoned-writer.ts';

const extremes = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.MAX_SAFE_INTEGER,
  -1,
  0,
  0.5,
  8.64e15,
  -8.64e15,
  8.64e15 + 1,
  lastInstant,
  lastInstant + 1,
  Date.UTC(10_000, 0),
  Date.UTC(1969, 0),
  Date.UTC(9999, 11, 31, 12),
  1_785_000_000_000.25,
];
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
  'Etc/GMT-14',
  'Mars/Olympus',
  '',
  '+25:00',
  'Europe/Berlim',
  '\0',
  'x'.repeat(10_000),
];
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;

test('formats every number in every zone with a year of four digits', () => {
  for (const zone of zones) {
    const format = zonedFormatter(zone);
    const write = zonedWriter(zone);
    for (const instant of extremes) {
      const text = format(instant);
      expect(text).toMatch(rfc3339);
      expect(Math.abs(Date.parse(text) - boundedInstant(instant))).toBe(0);
      const bytes = Buffer.alloc(zonedLength);
      write(instant, bytes, 0);
      expect(bytes.toString()).toBe(text);
      expect(Date.parse(utcText(instant))).toBe(boundedInstant(instant));
    }
  }
});

test('finds a business day for every instant, with any stored calendar', () => {
  for (const timeZone of zones) {
    for (const dayStartsAt of ['00:00', '23:59', '24:00', '', 'noon', '6:00']) {
      for (const instant of extremes) {
        const { start, end } = businessDayOf(instant, { timeZone, dayStartsAt });
        expect(start).toBeLessThanOrEqual(boundedInstant(instant));
        expect(end).toBeGreaterThan(boundedInstant(instant));
      }
    }
  }
});
