import fc from 'fast-check';
import { expect, test } from 'vitest';
import { businessDayOf, businessDayStart, businessDayStarts, businessDays } from './business-day.ts';
import { addDays } from './time-zone.ts';

test('assigns an instant before the start of the day to the day before', () => {
  const bar = { timeZone: 'America/New_York', dayStartsAt: '05:00' };

  expect(businessDayOf(Date.parse('2026-11-21T04:59:59.999-05:00'), bar).date).toBe('2026-11-20');
  expect(businessDayOf(Date.parse('2026-11-21T05:00:00-05:00'), bar).date).toBe('2026-11-21');
});

test('starts a day at the first of two midnights', () => {
  const pub = { timeZone: 'America/St_Johns', dayStartsAt: '00:00' };
  const firstMidnight = Date.parse('2010-11-07T00:00:00-02:30');
  const secondTime2330 = Date.parse('2010-11-06T23:30:00-03:30');

  expect(businessDayOf(firstMidnight, pub)).toMatchObject({ date: '2010-11-07', start: firstMidnight });
  expect(businessDayOf(secondTime2330, pub).date).toBe('2010-11-07');
});

test('assigns every instant to exactly one business day', () => {
  const zone = fc.constantFrom(
    'America/Los_Angeles',
    'Europe/London',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Pacific/Apia',
  );
  const dayStartsAt = fc.constantFrom('00:00', '00:30', '02:30', '05:00', '23:30');
  const instant = fc.integer({ min: Date.UTC(2001, 0), max: Date.UTC(2035, 0) });
  fc.assert(
    fc.property(zone, dayStartsAt, instant, (timeZone, startsAt, at) => {
      const calendar = { timeZone, dayStartsAt: startsAt };
      const day = businessDayOf(at, calendar);
      expect(day.start).toBeLessThanOrEqual(at);
      expect(day.end).toBeGreaterThan(at);
      expect(businessDayOf(day.end, calendar).start).toBe(day.end);
    }),
    { numRuns: 300 },
  );
});

test('returns the business day of each instant, in any order', () => {
  const begin = Date.parse('2026-10-20T00:00:00Z');
  const calendar = fc.record({
    timeZone: fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'UTC'),
    dayStartsAt: fc.constantFrom('00:00', '02:30', '23:00'),
  });
  const instants = fc.array(fc.nat({ max: 10 * 86_400_000 }), { maxLength: 30 });
  fc.assert(
    fc.property(calendar, instants, fc.boolean(), (given, distances, sorted) => {
      const dayOf = businessDays(given);
      for (const distance of sorted ? distances.toSorted((a, b) => a - b) : distances) {
        expect(dayOf(begin + distance)).toEqual(businessDayOf(begin + distance, given));
      }
    }),
  );
});

test('finds the starts of many days as it finds the start of each', () => {
  const calendar = fc.record({
    timeZone: fc.constantFrom(
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Pacific/Apia',
    ),
    dayStartsAt: fc.constantFrom('00:00', '00:01', '02:00', '02:30', '23:59', 'never'),
  });
  fc.assert(
    fc.property(calendar, fc.nat({ max: 20_000 }), fc.nat({ max: 250 }), (one, first, count) => {
      const date = addDays('1975-01-01', first);
      expect(businessDayStarts(date, count, one)).toEqual(
        Array.from({ length: count + 1 }, (_, n) => businessDayStart(addDays(date, n), one)),
      );
    }),
    { numRuns: 40 },
  );
});

test('a date that a zone skipped has no time, and the days after it have their own', () => {
  const apia = { timeZone: 'Pacific/Apia', dayStartsAt: '00:00' };
  const starts = businessDayStarts('2011-12-29', 4, apia).map((start) => new Date(start).toISOString());

  expect(starts).toEqual([
    '2011-12-29T10:00:00.000Z',
    '2011-12-30T10:00:00.000Z',
    '2011-12-30T10:00:00.000Z',
    '2011-12-31T10:00:00.000Z',
    '2012-01-01T10:00:00.000Z',
  ]);
});
