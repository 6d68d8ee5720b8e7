import type { Store } from '@visitor-counter/database/stores/stores';
import { zonedLength, zonedWriter } from '@visitor-counter/domain/zoned-formatter';
import type { Format } from './formats.ts';
import { type CountEvent, EventColumns, LatestEvents } from './records.ts';

/** Some records of an answer. */
export type Batch = readonly object[] | EventColumns | LatestEvents;

/** A piece of an answer. Bytes are valid until the next but one is requested. */
export type Piece = string | Uint8Array;

/** Writes batches as they come; the first piece follows the first batch, and no piece is empty. */
export async function* writeRecords(
  format: Format,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Piece, void> {
  const writeEvents = eventWriter(format);
  let before = format.begin;
  let between = '';
  for await (const batch of batches) {
    if (batch.length === 0) {
      if (before !== '') yield before;
    } else if (batch instanceof EventColumns) {
      if (before + between !== '') yield before + between;
      yield* writeEvents(batch);
    } else if (batch instanceof LatestEvents) {
      if (before + between !== '') yield before + between;
      yield writeLatest(format, batch);
    } else {
      yield before + between + format.records(batch);
    }
    before = '';
    if (batch.length > 0) between = format.separator;
  }
  yield before + format.end;
}

/** How many bytes a piece has at most, unless a single event has more. */
const pieceLength = 64 * 1024;

/**
 * Writes batches of count events in a format, with its separator between two events of a batch, in pieces.
 *
 * Always into the same memory, two buffers in turn: a piece is valid until the next but one is requested, so
 * that one is made while the other is in flight to the caller.
 */
function eventWriter(format: Format): (events: EventColumns) => Generator<Uint8Array, void> {
  const separator = Buffer.from(format.separator);
  const zoneOf = zonedWriters();
  let frame: EventFrame | undefined;
  let frameOf = '';
  let [current, other] = [Buffer.alloc(0), Buffer.alloc(0)];

  return function* write(events) {
    const { storeName, timeZone, length } = events;
    if (frame === undefined || frameOf !== storeName) frame = eventFrame(format, storeName);
    frameOf = storeName;
    const zone = zoneOf(timeZone);
    for (let index = 0; index < length; ) {
      [current, other] = [withRoom(other, separator, frame), current];
      const piece = { bytes: current, end: 0 };
      index = fill(piece, events, index, { separator, frame, zone });
      yield current.subarray(0, piece.end);
    }
  };
}

interface Style extends EventStyle {
  readonly separator: Uint8Array;
}

/** Writes events from `first` on until the piece is full. Returns the index of the next. */
function fill(
  piece: { readonly bytes: Uint8Array; end: number },
  { length, at, amount }: EventColumns,
  first: number,
  style: Style,
): number {
  const { separator, frame } = style;
  const { bytes } = piece;
  const lastStart = bytes.length - longest(separator, frame);
  let offset = 0;
  let index = first;
  for (; index < length && offset <= lastStart; index += 1) {
    if (index > 0) {
      bytes.set(separator, offset);
      offset += separator.length;
    }
    offset = writeEvent(at[index] ?? 0, amount[index] ?? 0, style, bytes, offset);
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

function longest(separator: Uint8Array, frame: EventFrame): number {
  return separator.length + mostBytes(frame);
}

/** Writes the events of several stores in a format, with its separator between them, as one piece. */
function writeLatest(format: Format, { stores, at, amount }: LatestEvents): Uint8Array {
  const { frames, length } = framesOf(format, stores);
  const separator = Buffer.from(format.separator);
  const zoneOf = zonedWriters();
  const bytes = Buffer.allocUnsafeSlow(length);
  let offset = 0;
  for (const [index, { calendar }] of stores.entries()) {
    const frame = frames[index];
    if (frame === undefined) break;
    if (index > 0) {
      bytes.set(separator, offset);
      offset += separator.length;
    }
    const style = { frame, zone: zoneOf(calendar.timeZone) };
    offset = writeEvent(at[index] ?? 0, amount[index] ?? 0, style, bytes, offset);
  }
  return bytes.subarray(0, offset);
}

interface Frames {
  readonly frames: readonly EventFrame[];
  /** How many bytes all events have at most. */
  readonly length: number;
}

/** Made once for each list and format, as long as both exist: a list stays the same until a store changes. */
const made = new WeakMap<Format, WeakMap<readonly Store[], Frames>>();

function framesOf(format: Format, stores: readonly Store[]): Frames {
  const ofFormat = made.get(format) ?? new WeakMap<readonly Store[], Frames>();
  made.set(format, ofFormat);
  const known = ofFormat.get(stores) ?? makeFrames(format, stores);
  ofFormat.set(stores, known);
  return known;
}

function makeFrames(format: Format, stores: readonly Store[]): Frames {
  const frames = stores.map(({ name }) => eventFrame(format, name));
  const separators = stores.length * Buffer.byteLength(format.separator);
  return { frames, length: frames.reduce((length, frame) => length + mostBytes(frame), separators) };
}

/** One writer for each time zone: nearly all stores of a company are in one. */
function zonedWriters(): (timeZone: string) => ZonedWriter {
  const writers = new Map<string, ZonedWriter>();
  return (timeZone) => {
    const writer = writers.get(timeZone) ?? zonedWriter(timeZone);
    writers.set(timeZone, writer);
    return writer;
  };
}

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
