import { crc32 } from 'node:zlib';
import type { Crossing, NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import { monotonicMs } from '../clock/time.ts';

/** A crossing to be journaled. */
export interface NewCrossing extends Crossing {
  /** How far `at` may be off (ms); 0 or missing for a clock that was right. */
  readonly uncertainty?: number;
  /** The moment on CLOCK_MONOTONIC, where it has one. */
  readonly moment?: MonotonicMs;
  /** False if `at` comes from a clock that was not set: the instant is determined later. */
  readonly settled?: boolean;
}

/** The moment of a crossing that has none. */
export const noMoment = monotonicMs(0);

/** A record on the disk. */
export interface JournalRecord extends Required<NumberedCrossing> {
  /** The moment on CLOCK_MONOTONIC; `noMoment` if it has none. */
  readonly moment: MonotonicMs;
  readonly settled: boolean;
}

/**
 * Layout, little endian, all times as 48-bit whole numbers:
 *
 *     0  type, 1 = crossing      8  sequence            20  monotonic time (µs), 0 = none
 *     1  direction, signed      14  at (epoch ms)       26  uncertainty of `at` (ms)
 *     2  flags, 16 bits: 1 = unsettled: the instant is determined later
 *     4  CRC-32 of all other bytes, begun with the journal's id
 *
 * A record never spans two 512-byte sectors: the header before the records is a multiple of its size.
 */
export const recordSize = 32;

const crossingType = 1;
const unsettledFlag = 1;

/** Writes a record into `buffer` at `offset`. */
export function writeRecord(buffer: Buffer, offset: number, record: JournalRecord, seed: number): void {
  buffer.fill(0, offset, offset + recordSize);
  buffer.writeUInt8(crossingType, offset);
  buffer.writeInt8(record.direction, offset + 1);
  buffer.writeUIntLE(record.sequence, offset + 8, 6);
  buffer.writeUInt16LE(record.settled ? 0 : unsettledFlag, offset + 2);
  buffer.writeUIntLE(record.at, offset + 14, 6);
  buffer.writeUIntLE(Math.round(record.moment * 1_000), offset + 20, 6);
  buffer.writeUIntLE(record.uncertainty, offset + 26, 6);
  buffer.writeUInt32LE(checksum(buffer, offset, seed), offset + 4);
}

/** The record at `offset`, or undefined if there is no whole one with this sequence. */
export function readRecord(
  buffer: Buffer,
  offset: number,
  sequence: number,
  seed: number,
): JournalRecord | undefined {
  if (offset + recordSize > buffer.length) return undefined;
  if (buffer.readUInt32LE(offset + 4) !== checksum(buffer, offset, seed)) return undefined;
  if (buffer.readUInt8(offset) !== crossingType || buffer.readUIntLE(offset + 8, 6) !== sequence)
    return undefined;
  const direction = buffer.readInt8(offset + 1);
  if (direction !== 1 && direction !== -1) return undefined;
  const at = buffer.readUIntLE(offset + 14, 6);
  const uncertainty = buffer.readUIntLE(offset + 26, 6);
  const moment = monotonicMs(buffer.readUIntLE(offset + 20, 6) / 1_000);
  const settled = (buffer.readUInt16LE(offset + 2) & unsettledFlag) === 0;
  return { sequence, at, direction, uncertainty, moment, settled };
}

/** The initial value of all checksums of a journal: a block of another journal in a file never matches. */
export function checksumSeed(journal: string): number {
  return crc32(journal);
}

function checksum(buffer: Buffer, offset: number, seed: number): number {
  return crc32(
    buffer.subarray(offset + 8, offset + recordSize),
    crc32(buffer.subarray(offset, offset + 4), seed),
  );
}
