import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { zonedFormatter } from './zoned-formatter.ts';
import { zonedLength, zonedWriter } from './zoned-writer.ts';

const zones = fc.constantFrom(
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  'UTC',
);
/** The clocks of Berlin and of St John's change near the first two, those of Monrovia at the third. */
const near = fc.constantFrom(
  Date.parse('2026-10-25T01:00:00Z'),
  Date.parse('2006-10-29T02:31:00Z'),
  Date.parse('1972-01-07T00:44:30Z'),
  Date.parse('2026-11-20T12:00:00Z'),
);

test('writes exactly what the formatter writes, in any order of instants', () => {
  const instants = fc.array(fc.tuple(near, fc.integer({ min: -200_000, max: 200_000 })), { minLength: 1 });
  fc.assert(
    fc.property(zones, instants, fc.nat({ max: 5 }), (zone, given, offset) => {
      const write = zonedWriter(zone);
      const format = zonedFormatter(zone);
      for (const [around, distance] of given) {
        const bytes = Buffer.alloc(offset + zonedLength + 1, '.');
        write(around + distance, bytes, offset);
        expect(bytes.toString()).toBe(`${'.'.repeat(offset)}${format(around + distance)}.`);
      }
    }),
  );
});
