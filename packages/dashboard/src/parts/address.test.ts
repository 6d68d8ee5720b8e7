import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hrefOf, parseRoute, type Route } from './address.ts';

test('parses every address it writes, for any sid', () => {
  const sid = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed());
  const someRoute: fc.Arbitrary<Route> = fc.oneof(
    fc.constantFrom<Route>({ page: 'overview' }, { page: 'devices' }, { page: 'wall' }),
    sid.map((one) => ({ page: 'store', sid: one }) as const),
    sid.map((one) => ({ page: 'wall', sid: one }) as const),
  );
  fc.assert(
    fc.property(someRoute, (route) => {
      expect(parseRoute(hrefOf(route))).toEqual(route);
    }),
  );
});

test.each(['', '#', '#/', '#/nothing', '#/stores', '#/stores/', '#/stores/%zz'])(
  'shows the overview for %j',
  (text) => {
    expect(parseRoute(text)).toEqual({ page: 'overview' });
  },
);
