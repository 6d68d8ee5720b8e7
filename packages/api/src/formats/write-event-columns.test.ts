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

const events = fc.array(
  fc.record({
    at: fc.integer({ min: Date.parse('2026-10-20Z'), max: Date.parse('2026-10-30Z') }),
    amount: fc.oneof(fc.nat({ max: 120 }), fc.nat()),
  }),
  { maxLength: 4 },
);
/** Names with everything that formats escape, and with the sample values. */
const storeName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'a"b,<c>&\r\n', '2026-11-20T10:15:30.123+01:00', '1234567890', '-1'),
);
const batch = fc.record({ storeName, timeZone: fc.constantFrom('Europe/Berlin', 'UTC'), events });

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
