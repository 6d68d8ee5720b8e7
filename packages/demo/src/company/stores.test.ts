import { addDays, dayOfWeek } from '@visitor-counter/domain/time-zone';
import { expect, test } from 'vitest';
import { firstRecordedDay, recordedDays, startOfPast } from './stores.ts';

const zone = 'America/Los_Angeles';

test.each([
  ['a Saturday', '2026-11-21T12:00:00-08:00', zone, '2026-11-14'],
  ['a Sunday', '2026-11-22T12:00:00-08:00', zone, '2026-11-21'],
  ['a Monday', '2026-11-23T12:00:00-08:00', zone, '2026-11-21'],
  ['a Friday', '2026-11-27T12:00:00-08:00', zone, '2026-11-21'],
  ['a Friday in the store', '2026-11-28T02:00:00Z', zone, '2026-11-21'],
  ['a Saturday in the store', '2026-11-28T02:00:00Z', 'Asia/Tokyo', '2026-11-21'],
  ['a Saturday in the store', '2026-11-29T02:00:00Z', zone, '2026-11-21'],
  ['a Sunday in the store', '2026-11-29T02:00:00Z', 'Asia/Tokyo', '2026-11-28'],
])('on %s the recording ends on the latest Saturday before today: %s, %s', (_, now, timeZone, last) => {
  const first = firstRecordedDay(Date.parse(now), timeZone);

  expect(addDays(first, recordedDays - 1)).toBe(last);
  expect(dayOfWeek(first)).toBe(7);
});

test('the past begins at local midnight, also when the clocks changed since', () => {
  const now = Date.parse('2026-11-03T12:00:00-08:00');

  expect(new Date(startOfPast(now, zone, 14)).toISOString()).toBe('2026-10-20T07:00:00.000Z');
});
