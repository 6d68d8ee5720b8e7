import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { xmlNames } from '../../test/xml-names.ts';
import type { FormatName } from './formats.ts';
import { countEvent, EventColumns } from './records.ts';
import { formatsOf, writeRecords } from './write-records.ts';

/** An element may have the digits of a number in its name. */
const records = { ...xmlNames.records, CountEvent: 'Event_1_1234567890' };
const formats = formatsOf(countEvent, { ...xmlNames, records });

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
const events = fc.array(
  fc.record({
    at: fc.tuple(near, fc.integer({ min: -200_000, max: 200_000 })).map(([around, by]) => around + by),
    amount: fc.oneof(fc.nat({ max: 120 }), fc.nat()),
  }),
  { maxLength: 8 },
);
/** Names with everything that formats escape, and with the sample values. */
const storeName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'a"b,<c>&\r\n', '2026-11-20T10:15:30.123+01:00', '1234567890', '-1'),
);
const batch = fc.record({ storeName, timeZone: zones, events });

test.each<FormatName>(['json', 'xml', 'csv'])('writes events in columns like records in %s', async (name) => {
  const format = formats[name];
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 4 }), async (batches) => {
      const asRecords = batches.map(({ storeName: StoreName, timeZone, events: given }) =>
        given.map(({ at, amount }) => ({
          DateTime: zonedFormatter(timeZone)(at),
          StoreName,
          Amount: amount,
        })),
      );
      expect(await written(writeRecords(format, inColumns(batches)))).toBe(
        await written(writeRecords(format, each(asRecords))),
      );
    }),
  );
});

interface Given {
  readonly storeName: string;
  readonly timeZone: string;
  readonly events: readonly { readonly at: number; readonly amount: number }[];
}

async function* inColumns(batches: readonly Given[]) {
  const columns = new EventColumns();
  for (const { storeName, timeZone, events } of batches) {
    Object.assign(columns, { storeName, timeZone });
    columns.clear(events.length);
    for (const { at, amount } of events) columns.add(at, amount);
    yield columns;
  }
}

async function* each(batches: readonly object[][]) {
  yield* batches;
}

/** Reads each piece only when the next one exists: the writer must not have changed it by then. */
async function written(pieces: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = '';
  let waiting: string | Uint8Array = '';
  for await (const piece of pieces) {
    expect(piece).not.toHaveLength(0);
    text += Buffer.from(waiting).toString();
    waiting = piece;
  }
  return text + Buffer.from(waiting).toString();
}
