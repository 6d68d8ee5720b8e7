import { zonedLength, zonedWriter } from '@visitor-counter/domain/zoned-writer';
import { csv, type Format, type FormatName, json } from './formats.ts';
import { type CountEvent, EventColumns, fieldNames, type RecordDescription } from './records.ts';
import { type XmlNames, xml, xmlName } from './xml.ts';

/** The formats in which an operation's records are answered over plain HTTP. */
export function formatsOf(record: RecordDescription, names: XmlNames): Readonly<Record<FormatName, Format>> {
  const fields = fieldNames(record);
  return {
    json,
    xml: xml(xmlName(record, names), fields, names.namespace),
    csv: csv(fields),
    'raw-csv': csv(fields, true),
  };
}

/** Some records of an answer. */
export type Batch = readonly object[] | EventColumns;

/** Writes batches as they come; the first piece follows the first batch, and no piece is empty. */
export async function* writeRecords(
  format: Format,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<string | Uint8Array, void> {
  const writeEvents = eventWriter(format);
  let before = format.begin;
  let between = '';
  for await (const batch of batches) {
    if (batch.length === 0) {
      if (before !== '') yield before;
    } else if (batch instanceof EventColumns) {
      if (before + between !== '') yield before + between;
      yield* writeEvents(batch);
    } else {
      yield before + between + format.records(batch);
    }
    before = '';
    if (batch.length > 0) between = format.separator;
  }
  if (before + format.end !== '') yield before + format.end;
}

/** How many bytes a piece has at most, unless a single event has more. */
const pieceLength = 64 * 1024;

/** Writes batches of count events in a format, with its separator between two events of a batch, in pieces. */
function eventWriter(format: Format): (events: EventColumns) => Generator<Uint8Array, void> {
  /* One for each time zone: nearly all stores of a company are in one. */
  const zones = new Map<string, ZonedWriter>();
  let [style, styleOf] = [eventStyle(format, '', zonedWriter('UTC')), ''];

  return function* write({ storeName, timeZone, length, at, amount }) {
    const store = `${timeZone} ${storeName}`;
    if (styleOf !== store) {
      const zone = zones.get(timeZone) ?? zonedWriter(timeZone);
      zones.set(timeZone, zone);
      style = eventStyle(format, storeName, zone);
      styleOf = store;
    }
    const most = mostBytes(style);
    for (let index = 0; index < length; ) {
      const piece = Buffer.allocUnsafeSlow(Math.max(most, Math.min(pieceLength, most * (length - index))));
      const lastStart = piece.length - most;
      let end = 0;
      for (; index < length && end <= lastStart; index += 1) {
        end = writeEvent(index, at[index] ?? 0, amount[index] ?? 0, style, piece, end);
      }
      yield piece.subarray(0, end);
    }
  };
}

type ZonedWriter = ReturnType<typeof zonedWriter>;

/** What a format writes around the values of a count event, UTF-8; it is the same for all events of a store. */
interface EventStyle {
  readonly separator: Uint8Array;
  readonly beforeDateTime: Uint8Array;
  readonly zone: ZonedWriter;
  readonly beforeAmount: Uint8Array;
  readonly end: Uint8Array;
}

/** Sample values without characters that any format escapes. The name of an element contains neither of them. */
const dateTime = '2026-11-20T10:15:30.123+01:00';
const amount = -1;

/**
 * Learns from one record how a format writes the events of a store. DateTime is the first field and Amount
 * the last, so the first occurrence of the one and the last of the other are these fields, whatever the name
 * of the store.
 */
function eventStyle(format: Format, storeName: string, zone: ZonedWriter): EventStyle {
  const record: CountEvent = { DateTime: dateTime, StoreName: storeName, Amount: amount };
  const text = format.records([record]);
  const start = text.indexOf(dateTime);
  const last = text.lastIndexOf(String(amount));
  return {
    separator: Buffer.from(format.separator),
    beforeDateTime: Buffer.from(text.slice(0, start)),
    zone,
    beforeAmount: Buffer.from(text.slice(start + dateTime.length, last)),
    end: Buffer.from(text.slice(last + String(amount).length)),
  };
}

/** An amount is a 32-bit integer of 0 or more. */
const mostDigits = 10;
const zero = 48;

/** How many bytes an event has at most, with the separator before it. */
function mostBytes({ separator, beforeDateTime, beforeAmount, end }: EventStyle): number {
  const around = separator.length + beforeDateTime.length + beforeAmount.length + end.length;
  return around + zonedLength + mostDigits;
}

/** Writes the `index`-th event of a batch (epoch ms, people) at an offset. Returns the offset after it. */
function writeEvent(
  index: number,
  at: number,
  people: number,
  { separator, beforeDateTime, zone, beforeAmount, end }: EventStyle,
  bytes: Uint8Array,
  start: number,
): number {
  let offset = start;
  if (index > 0) {
    bytes.set(separator, offset);
    offset += separator.length;
  }
  bytes.set(beforeDateTime, offset);
  offset += beforeDateTime.length;
  zone(at, bytes, offset);
  offset += zonedLength;
  bytes.set(beforeAmount, offset);
  offset = writeInteger(people, bytes, offset + beforeAmount.length);
  bytes.set(end, offset);
  return offset + end.length;
}

/** Writes the decimal digits of an integer of 0 or more. Returns the offset after them. */
function writeInteger(value: number, bytes: Uint8Array, offset: number): number {
  let end = offset + 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = value;
  for (let place = end - 1; place >= offset; place -= 1) {
    bytes[place] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}
