import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparisons, hrefOf, namedRanges, parseRoute, type Range, type Route, today } from './address.ts';

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
