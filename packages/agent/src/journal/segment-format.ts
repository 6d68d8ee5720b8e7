import { randomBytes } from 'node:crypto';
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
  readonly isDated?: boolean;
}

/** A record on the disk. */
export interface JournalRecord extends Required<NumberedCrossing> {
  /** The moment on CLOCK_MONOTONIC; 0 if it has none. */
  readonly moment: MonotonicMs;
  readonly isDated: boolean;
}

/** A crossing in memory, before it gets its sequence. */
export type UnwrittenCrossing = Omit<JournalRecord, 'sequence'>;

/** The crossing with all fields of a record. */
export function unwritten(crossing: NewCrossing): UnwrittenCrossing {
  return { uncertainty: 0, moment: monotonicMs(0), isDated: true, ...crossing };
}

/**
 * Layout, little endian, all times as 48-bit whole numbers:
 *
 *     0  type, 1 = crossing      8  sequence            20  monotonic time (µs), 0 = none
 *     1  direction, signed      14  at (epoch ms)       26  uncertainty of `at` (ms)
 *     2  flags, 16 bits: 1 = undated: the instant is determined later
 *     4  CRC-32 of all other bytes, begun with the journal's id
 *
 * A record never spans two 512-byte sectors: the header before the records is a multiple of its size.
 */
export const recordSize = 32;

const crossingType = 1;
const undatedFlag = 1;

/** Writes a record into `buffer` at `offset`. */
function writeRecord(buffer: Buffer, offset: number, record: JournalRecord, seed: number): void {
  buffer.fill(0, offset, offset + recordSize);
  buffer.writeUInt8(crossingType, offset);
  buffer.writeInt8(record.direction, offset + 1);
  buffer.writeUIntLE(record.sequence, offset + 8, 6);
  buffer.writeUInt16LE(record.isDated ? 0 : undatedFlag, offset + 2);
  buffer.writeUIntLE(record.at, offset + 14, 6);
  buffer.writeUIntLE(Math.round(record.moment * 1_000), offset + 20, 6);
  buffer.writeUIntLE(record.uncertainty, offset + 26, 6);
  buffer.writeUInt32LE(checksum(buffer, offset, seed), offset + 4);
}

/** The records of consecutive crossings, the first of which has the sequence `first`. */
export function encodeRecords(
  crossings: readonly UnwrittenCrossing[],
  first: number,
  journal: string,
): Buffer {
  const seed = checksumSeed(journal);
  const bytes = Buffer.allocUnsafe(crossings.length * recordSize);
  for (const [index, crossing] of crossings.entries()) {
    writeRecord(bytes, index * recordSize, { ...crossing, sequence: first + index }, seed);
  }
  return bytes;
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
  const isDated = (buffer.readUInt16LE(offset + 2) & undatedFlag) === 0;
  return { sequence, at, direction, uncertainty, moment, isDated };
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

/** The header of a segment file. */
interface SegmentHeader {
  /** The journal's id: 32 hexadecimal digits. */
  readonly journal: string;
  /** Sequence of the first record. */
  readonly first: number;
  /** Instant (epoch ms) of the last crossing before this segment; 0 when there was none. */
  readonly lastAt: number;
  /** The boot in which the segment was created, to which all its records without a known instant belong. */
  readonly boot: string;
}

const copySize = 64;
/** Two copies, since the boot of the records is not stored anywhere else. A multiple of the record size. */
export const headerSize = 2 * copySize;

const magic = 'VISITORJ';
const version = 1;

/** Layout of a copy: magic 8, version 2, id 16, first 6, lastAt 6, boot 16, zeros, CRC-32 of all before in the last 4. */
export function encodeHeader(
  journal: string,
  { first, lastAt, boot }: Omit<SegmentHeader, 'journal'>,
): Buffer {
  const copy = Buffer.alloc(copySize);
  copy.write(magic, 0, 'latin1');
  copy.writeUInt16LE(version, 8);
  copy.write(journal, 10, 'hex');
  copy.writeUIntLE(first, 26, 6);
  copy.writeUIntLE(lastAt, 32, 6);
  copy.write(boot.replaceAll('-', ''), 38, 'hex');
  copy.writeUInt32LE(crc32(copy.subarray(0, copySize - 4)), copySize - 4);
  return Buffer.concat([copy, copy]);
}

/** The header at the start of a segment; undefined when neither copy is whole. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  return decodeCopy(bytes.subarray(0, copySize)) ?? decodeCopy(bytes.subarray(copySize, headerSize));
}

function decodeCopy(copy: Buffer): SegmentHeader | undefined {
  if (copy.length < copySize || copy.toString('latin1', 0, 8) !== magic) return undefined;
  if (copy.readUInt32LE(copySize - 4) !== crc32(copy.subarray(0, copySize - 4))) return undefined;
  if (copy.readUInt16LE(8) !== version) return undefined;
  return {
    journal: copy.toString('hex', 10, 26),
    first: copy.readUIntLE(26, 6),
    lastAt: copy.readUIntLE(32, 6),
    boot: copy.toString('hex', 38, 54).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}

/** A new journal's id: 32 hexadecimal digits. */
export function newJournalId(): string {
  return randomBytes(16).toString('hex');
}

/** A file of consecutive records. */
export interface Segment {
  readonly first: number;
  /** How many records, damaged ones included, are durable in it. */
  readonly count: number;
  /** Instant (epoch ms) of the last readable crossing up to its end; 0 when there is none. */
  readonly lastAt: number;
  /** The boot of its records without a known instant. */
  readonly boot: string;
  /** Nothing is appended or cut off: the disk cannot read all of it, or sequences after its end were used. */
  readonly sealed?: true;
}

/** The last sequence of a segment. */
export function endOf({ first, count }: Pick<Segment, 'first' | 'count'>): number {
  return first + count - 1;
}

/** The offset of a sequence in its segment file (bytes). */
export function positionOf(segment: Pick<Segment, 'first'>, sequence: number): number {
  return headerSize + (sequence - segment.first) * recordSize;
}

/** The name of the file with the records from sequence `first` on; names sort like sequences. */
export function segmentName({ first }: Pick<Segment, 'first'>): string {
  return `${String(first).padStart(16, '0')}.journal`;
}

/** The first sequence of the segment with this name; undefined for other files. */
export function firstOfSegment(name: string): number | undefined {
  const first = /^(\d{16})\.journal$/.exec(name)?.[1];
  return first === undefined ? undefined : Number(first);
}

/** The size of segments on the disk. */
export function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { count }) => sum + headerSize + count * recordSize, 0);
}
