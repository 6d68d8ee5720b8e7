import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { xmlNames } from '../../test/xml-names.ts';
import { type FormatName, formatsOf } from './formats.ts';
import { countEvent, LatestEvents, shapeOf } from './records.ts';
import { writeRecords } from './write-records.ts';

const formats = formatsOf(shapeOf(countEvent), xmlNames);

/** Names with everything that formats escape, and with the sample values. */
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'a"b,<c>&\r\n', '2026-11-20T10:15:30.123+01:00', '1234567890'),
);
const latest = fc.record({
  name,
  timeZone: fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'UTC'),
  at: fc.integer({ min: Date.parse('2026-10-20Z'), max: Date.parse('2026-10-30Z') }),
  amount: fc.oneof(fc.nat({ max: 120 }), fc.nat()),
});

test.each<FormatName>(['json', 'xml', 'csv'])(
  'writes the events of stores like records in %s, also repeatedly',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(latest, { maxLength: 5 }), fc.nat(), async (given, other) => {
        const stores = given.map(({ name, timeZone }, id) => ({
          id,
          name,
          calendar: { timeZone, dayStartsAt: '00:00' },
        }));
        for (const values of [given, given.map(({ at }) => ({ at: at + 1, amount: other }))]) {
          const events = new LatestEvents(stores);
          for (const [index, { at, amount }] of values.entries()) {
            events.at[index] = at;
            events.amount[index] = amount;
          }
          const records = values.map(({ at, amount }, index) => ({
            DateTime: zonedFormatter(given[index]?.timeZone ?? '')(at),
            StoreName: given[index]?.name,
            Amount: amount,
          }));
          expect(await written(format, events)).toBe(await written(format, records));
        }
      }),
    );
  },
);

async function written(format: FormatName, batch: LatestEvents | readonly object[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const piece of writeRecords(formats[format], one(batch))) chunks.push(Buffer.from(piece));
  return Buffer.concat(chunks).toString();
}

async function* one(batch: LatestEvents | readonly object[]) {
  yield batch;
}
