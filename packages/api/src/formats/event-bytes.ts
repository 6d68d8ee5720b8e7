import { zonedLength, type zonedWriter } from '@visitor-counter/domain/zoned-formatter';
import type { Format } from './format.ts';
import type { CountEvent } from './records.ts';

/** What a format writes around the values of a count event, UTF-8; it is the same for all events of a store. */
export interface EventFrame {
  readonly beforeDateTime: Uint8Array;
  readonly beforeAmount: Uint8Array;
  readonly end: Uint8Array;
}

/** Sample values without characters that any format escapes. */
const dateTime = '2026-11-20T10:15:30.123+01:00';
const amount = 1_234_567_890;

/**
 * Learns from one record how a format writes the events of a store. DateTime is the first field and Amount the
 * last, so their first and last occurrence are theirs whatever the store is called.
 */
export function eventFrame(format: Format, storeName: string): EventFrame {
  const record: CountEvent = { DateTime: dateTime, StoreName: storeName, Amount: amount };
  const text = format.records([record]);
  const start = text.indexOf(dateTime);
  const last = text.lastIndexOf(String(amount));
  return {
    beforeDateTime: Buffer.from(text.slice(0, start)),
    beforeAmount: Buffer.from(text.slice(start + dateTime.length, last)),
    end: Buffer.from(text.slice(last + String(amount).length)),
  };
}

export type ZonedWriter = ReturnType<typeof zonedWriter>;

/** An amount is a 32-bit integer of 0 or more. */
const mostDigits = 10;
const zero = 48;

/** How many bytes an event has at most. */
export function mostBytes({ beforeDateTime, beforeAmount, end }: EventFrame): number {
  return beforeDateTime.length + zonedLength + beforeAmount.length + mostDigits + end.length;
}

/** What all events of a store share. */
export interface EventStyle {
  readonly frame: EventFrame;
  readonly zone: ZonedWriter;
}

/** Writes an event (epoch ms, people). Returns the offset after it. */
export function writeEvent(
  at: number,
  amount: number,
  { frame, zone }: EventStyle,
  bytes: Uint8Array,
  start: number,
): number {
  const { beforeDateTime, beforeAmount, end } = frame;
  bytes.set(beforeDateTime, start);
  let offset = start + beforeDateTime.length;
  zone(at, bytes, offset);
  offset += zonedLength;
  bytes.set(beforeAmount, offset);
  offset = writeInteger(amount, bytes, offset + beforeAmount.length);
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
