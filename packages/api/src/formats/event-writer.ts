import { zonedLength, zonedWriter } from '@visitor-counter/domain/zoned-writer';
import type { EventColumns } from '../operations/event-columns.ts';
import { type EventFrame, eventFrame } from './event-frame.ts';
import type { Format } from './format.ts';

/** How many bytes a piece has at most, unless a single event has more. */
const pieceLength = 64 * 1024;

/** An amount is a 32-bit integer of 0 or more. */
const mostDigits = 10;
const zero = 48;

/**
 * Writes batches of count events in a format, with its separator between two events of a batch, in pieces.
 *
 * Always into the same memory, two buffers in turn: a piece is valid until the next but one is asked for, so
 * that one is made while the other is on its way to the caller.
 */
export function eventWriter(format: Format): (events: EventColumns) => Generator<Uint8Array, void> {
  const separator = Buffer.from(format.separator);
  const zones = new Map<string, ZonedWriter>();
  let frame: EventFrame | undefined;
  let frameOf = '';
  let [current, other] = [Buffer.alloc(0), Buffer.alloc(0)];

  return function* write(events) {
    const { storeName, timeZone, length } = events;
    if (frame === undefined || frameOf !== storeName) frame = eventFrame(format, storeName);
    frameOf = storeName;
    const zone = zones.get(timeZone) ?? zonedWriter(timeZone);
    zones.set(timeZone, zone);
    for (let index = 0; index < length; ) {
      [current, other] = [withRoom(other, separator, frame), current];
      const piece = { bytes: current, end: 0 };
      index = fill(piece, events, index, { separator, frame, zone });
      yield current.subarray(0, piece.end);
    }
  };
}

type ZonedWriter = ReturnType<typeof zonedWriter>;

interface Style {
  readonly separator: Uint8Array;
  readonly frame: EventFrame;
  readonly zone: ZonedWriter;
}

/** Writes events from `index` on until the piece is full; gives the index of the next. */
function fill(
  piece: { readonly bytes: Uint8Array; end: number },
  { length, at, amount }: EventColumns,
  first: number,
  { separator, frame, zone }: Style,
): number {
  const { beforeDateTime, beforeAmount, end } = frame;
  const { bytes } = piece;
  const lastStart = bytes.length - longest(separator, frame);
  let offset = 0;
  let index = first;
  for (; index < length && offset <= lastStart; index += 1) {
    if (index > 0) {
      bytes.set(separator, offset);
      offset += separator.length;
    }
    bytes.set(beforeDateTime, offset);
    offset += beforeDateTime.length;
    zone(at[index] ?? 0, bytes, offset);
    offset += zonedLength;
    bytes.set(beforeAmount, offset);
    offset = writeInteger(amount[index] ?? 0, bytes, offset + beforeAmount.length);
    bytes.set(end, offset);
    offset += end.length;
  }
  piece.end = offset;
  return index;
}

function withRoom(
  buffer: Buffer<ArrayBuffer>,
  separator: Uint8Array,
  frame: EventFrame,
): Buffer<ArrayBuffer> {
  const needed = Math.max(pieceLength, longest(separator, frame));
  return buffer.length >= needed ? buffer : Buffer.allocUnsafeSlow(needed);
}

function longest(separator: Uint8Array, { beforeDateTime, beforeAmount, end }: EventFrame): number {
  const fixed = separator.length + beforeDateTime.length + beforeAmount.length + end.length;
  return fixed + zonedLength + mostDigits;
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
