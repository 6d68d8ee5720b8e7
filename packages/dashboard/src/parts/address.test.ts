import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareOf,
  comparisons,
  daysOf,
  hrefOf,
  namedRanges,
  parseRoute,
  type Range,
  type Route,
  today,
} from './address.ts';

test('parses every address it writes, for any sid and any dates', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed());
  const date = fc
    .integer({ min: 0, max: 40_000 })
    .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
  const range: fc.Arbitrary<Range> = fc.oneof(
    fc.constantFrom(...namedRanges),
    fc.tuple(date, date).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a })),
  );
  const view = fc.record({ range, compare: fc.constantFrom(...comparisons) });
  const someRoute: fc.Arbitrary<Route> = fc.oneof(
    fc.constantFrom<Route>({ page: 'devices' }, { page: 'wall' }, { page: 'settings' }, { page: 'reports' }),
    view.map((one) => ({ page: 'overview', view: one }) as const),
    fc.tuple(id, view).map(([sid, one]) => ({ page: 'store', sid, view: one }) as const),
    id.map((sid) => ({ page: 'wall', sid }) as const),
    id.map((sid) => ({ page: 'settings', sid }) as const),
    id.map((serial) => ({ page: 'audit', serial }) as const),
  );
  fc.assert(
    fc.property(someRoute, (route) => {
      expect(parseRoute(hrefOf(route))).toEqual(route);
    }),
  );
});

test.each([
  '',
  '#',
  '#/',
  '#/nothing',
  '#/stores',
  '#/stores/',
  '#/stores/%zz',
  '#/?range=2026-02-30..2026-03-01',
])('shows the overview of today for %j', (text) => {
  expect(parseRoute(text)).toEqual({ page: 'overview', view: today });
});

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
