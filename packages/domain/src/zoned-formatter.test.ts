import { expect, test } from 'vitest';
import { zonedFormatter } from './zoned-formatter.ts';

test('writes RFC 3339 with the offset at that instant, in any order of instants', () => {
  const format = zonedFormatter('America/Los_Angeles');

  expect(format(Date.parse('2005-10-30T08:59:59.999Z'))).toBe('2005-10-30T01:59:59.999-07:00');
  expect(format(Date.parse('2005-10-30T09:00:00Z'))).toBe('2005-10-30T01:00:00.000-08:00');
  expect(format(Date.parse('2005-10-30T08:00:00Z'))).toBe('2005-10-30T01:00:00.000-07:00');
});

test('writes offsets that are not whole hours, and UTC', () => {
  expect(zonedFormatter('Asia/Kathmandu')(0)).toBe('1970-01-01T05:30:00.000+05:30');
  expect(zonedFormatter('America/St_Johns')(Date.UTC(2026, 0))).toBe('2025-12-31T20:30:00.000-03:30');
  expect(zonedFormatter('UTC')(1)).toBe('1970-01-01T00:00:00.001+00:00');
});
