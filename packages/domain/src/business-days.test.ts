import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { businessDayOf } from './business-day.ts';
import { businessDays } from './business-days.ts';

test('gives the business day of each instant, in any order', () => {
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
