import type { CountEvent } from '../asmx/operations/records.ts';
import type { Format } from './format.ts';

/** What a format writes around the values of a count event, UTF-8; it is the same for all events of a store. */
export interface EventFrame {
  readonly beforeDateTime: Uint8Array;
  readonly beforeAmount: Uint8Array;
  readonly end: Uint8Array;
}

/** Values that stand for others: none has a character that any format would write in another way. */
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
