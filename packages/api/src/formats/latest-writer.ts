import type { Store } from '@visitor-counter/database/stores/stores';
import { zonedWriter } from '@visitor-counter/domain/zoned-writer';
import { mostBytes, writeEvent, type ZonedWriter } from './event-bytes.ts';
import { type EventFrame, eventFrame } from './event-frame.ts';
import type { Format } from './format.ts';
import type { LatestEvents } from './latest-events.ts';

/** Writes the events of several stores in a format, with its separator between them, as one piece. */
export function writeLatest(format: Format, { stores, at, amount }: LatestEvents): Uint8Array {
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

/** Nearly all stores of a company are in one zone. */
function zonedWriters(): (timeZone: string) => ZonedWriter {
  const writers = new Map<string, ZonedWriter>();
  return (timeZone) => {
    const writer = writers.get(timeZone) ?? zonedWriter(timeZone);
    writers.set(timeZone, writer);
    return writer;
  };
}
