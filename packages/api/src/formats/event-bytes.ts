import { zonedLength, type zonedWriter } from '@visitor-counter/domain/zoned-writer';
import type { EventFrame } from './event-frame.ts';

export type ZonedWriter = ReturnType<typeof zonedWriter>;

/** An amount is a 32-bit integer of 0 or more. */
const mostDigits = 10;
const zero = 48;

/** How many bytes an event has at most. */
export function mostBytes({ beforeDateTime, beforeAmount, end }: EventFrame): number {
  return beforeDateTime.length + zonedLength + beforeAmount.length + mostDigits + end.length;
}

/** What does not change from one event of a store to the next. */
export interface EventStyle {
  readonly frame: EventFrame;
  readonly zone: ZonedWriter;
}

/** Writes an event (epoch ms, people) and gives the offset behind it. */
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

/** The decimal digits of an integer of 0 or more; gives the offset behind them. */
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
