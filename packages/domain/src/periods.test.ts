import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Comparison,
  comparedPeriod,
  firstOf,
  firstOfWeek,
  lengthOf,
  type Period,
  usualBucket,
} from './periods.ts';
import { addDays, dayOfWeek, daysBetween } from './time-zone.ts';

/** A month, a month to date and a year are compared with those before, other days with as many before them; days are `from..to`. */
test.each<[days: string, how: Comparison, today: string | null, before: string, last: string | undefined]>([
  ['2026-03-01..2026-03-31', 'previous', null, '2026-02-01..2026-02-28', undefined],
  ['2026-02-01..2026-02-28', 'previous', null, '2026-01-01..2026-01-31', '2026-01-28'],
  ['2026-02-01..2026-02-28', 'previous-month', null, '2026-01-01..2026-01-31', '2026-01-28'],
  ['2026-11-01..2026-11-23', 'previous', '2026-11-23', '2026-10-01..2026-10-23', '2026-10-23'],
  ['2026-03-01..2026-03-30', 'previous', '2026-03-30', '2026-02-01..2026-02-28', undefined],
  ['2028-01-01..2028-12-31', 'previous', null, '2027-01-01..2027-12-31', '2027-12-31'],
  ['2026-01-01..2026-11-23', 'previous', '2026-11-23', '2025-01-01..2025-11-23', '2025-11-23'],
  ['2026-01-01..2026-01-20', 'previous', '2026-01-20', '2025-12-01..2025-12-20', '2025-12-20'],
  ['2026-01-01..2026-01-20', 'previous-year', '2026-01-20', '2025-01-01..2025-01-20', '2025-01-20'],
  ['2026-01-01..2026-01-01', 'previous-year', '2026-01-01', '2025-01-01..2025-01-01', '2025-01-01'],
  ['2026-01-01..2026-01-01', 'previous-month', '2026-01-01', '2025-12-01..2025-12-01', '2025-12-01'],
  ['2028-01-01..2028-02-29', 'previous-year', '2028-02-29', '2027-01-01..2027-02-28', undefined],
  ['2026-11-01..2026-11-15', 'previous', null, '2026-10-17..2026-10-31', '2026-10-31'],
  ['2026-11-20..2026-11-20', 'previous', null, '2026-11-19..2026-11-19', '2026-11-19'],
  ['2026-11-01..2026-11-01', 'previous', '2026-11-01', '2026-10-31..2026-10-31', '2026-10-31'],
])('compares %s (%s, today %s) with %s', (days, how, today, before, last) => {
  const [from = '', to = ''] = days.split('..');
  const { counterpart, ...found } = comparedPeriod({ from, to }, how, today ?? '2030-01-01');
  expect([`${found.from}..${found.to}`, counterpart(to)]).toEqual([before, last]);
});

const period = fc
  .tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 800 }))
  .map(([first, more]): Period => {
    const from = addDays('2020-01-01', first);
    return { from, to: addDays(from, more) };
  });

test('compares with the same weekdays, in the fewest weeks that do not overlap, or 52 weeks before', () => {
  fc.assert(
    fc.property(period, (one) => {
      for (const how of ['weekdays', 'year'] as const) {
        const { from, to, counterpart } = comparedPeriod(one, how, one.to);
        expect([counterpart(one.from), counterpart(one.to)]).toEqual([from, to]);
        expect(dayOfWeek(from)).toBe(dayOfWeek(one.from));
        if (how === 'year') expect(daysBetween(from, one.from)).toBe(364);
        else {
          expect(to < one.from).toBe(true);
          expect(daysBetween(to, one.from)).toBeLessThanOrEqual(7);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('never compares with a day of the period itself, nor two days with one', () => {
  fc.assert(
    fc.property(period, fc.boolean(), ({ from, to }, isMonth) => {
      const one = isMonth ? { from: firstOf(from, 'month'), to } : { from, to };
      const { counterpart, ...found } = comparedPeriod(one, 'previous', to);
      const days = Array.from({ length: Math.min(70, lengthOf(one)) }, (_, n) => addDays(one.from, n));
      const others = days.flatMap((date) => counterpart(date) ?? []);
      expect(new Set(others).size).toBe(others.length);
      expect(found.to < one.from).toBe(true);
      for (const date of others) expect(date >= found.from && date <= found.to).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('begins weeks on the requested weekday, and months on their first day', () => {
  expect(firstOfWeek('2026-11-22', 'monday')).toBe('2026-11-16');
  expect(firstOfWeek('2026-11-22', 'sunday')).toBe('2026-11-22');
  expect(firstOfWeek('2026-11-20', 'saturday')).toBe('2026-11-14');
  expect(firstOf('2026-11-22', 'month')).toBe('2026-11-01');
});

test('chooses a bucket by the length of the period', () => {
  const bucket = (days: number) => usualBucket({ from: '2026-01-01', to: addDays('2026-01-01', days - 1) });
  const found = [1, 2, 3, 92, 93, 366, 367].map(bucket).join(' ');
  expect(found).toBe('hour hour day day week week month');
});
