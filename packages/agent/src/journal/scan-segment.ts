import type { UnsettledBoot } from '../clock/settle-boots.ts';
import type { FileSystem } from './file-system.ts';
import { type ReadAround, readAround } from './read-around.ts';
import { readRecord, recordSize } from './record-codec.ts';
import { positionOf, type Segment } from './segment.ts';
import { decodeHeader, headerSize, type SegmentHeader } from './segment-header.ts';

/** First and last sequence of a stretch that cannot be read. */
export type LostRange = readonly [first: number, last: number];

/** A segment file as it was found. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly first: number;
  readonly header: SegmentHeader | undefined;
}

/** What of a segment can be used. */
export interface JudgedSegment {
  readonly segment: Segment;
  readonly size: number;
  /** False when there is neither a header nor a record in it, nor anything that the disk cannot read. */
  readonly readable: boolean;
  readonly lost: readonly LostRange[];
  /** Instant (epoch ms) of the last settled crossing in it; 0 when there is none. */
  readonly settledAt: number;
  /** What is to be known of its boot to settle the others. */
  readonly unsettled: UnsettledBoot | undefined;
}

/** Reads no more than the header: a folder may hold more than a small unit has memory. */
export async function findSegment(
  files: FileSystem,
  path: string,
  name: string,
  first: number,
): Promise<FoundFile> {
  const { bytes } = await readStart(files, path, headerSize);
  return { path, name, first, header: decodeHeader(bytes) };
}

/**
 * Reads a segment, one at a time in memory, and judges it: see `judgeSegment`. Of one that the disk cannot read all of,
 * nobody knows where its records end: all places in it count as used, and it is sealed.
 */
export async function scanSegment(
  files: FileSystem,
  found: FoundFile,
  nextFirst: number | undefined,
  seed: number,
): Promise<JudgedSegment> {
  const { bytes, damaged } = await readStart(files, found.path);
  if (!damaged) return judgeSegment(found, bytes, nextFirst, seed);
  const places = Math.max(0, Math.floor((bytes.length - headerSize) / recordSize));
  const judged = judgeSegment(found, bytes, nextFirst ?? found.first + places, seed);
  return { ...judged, readable: true, segment: { ...judged.segment, sealed: true } };
}

/** The first `length` bytes of a file, all of it when left out; fewer where it ends before. */
async function readStart(
  files: FileSystem,
  path: string,
  length?: number,
): Promise<{ readonly bytes: Buffer } & Pick<ReadAround, 'damaged'>> {
  const file = await files.open(path);
  try {
    const buffer = Buffer.alloc(length ?? (await file.size()));
    const read = await readAround(file, buffer, 0);
    return { bytes: buffer.subarray(0, read.length), damaged: read.damaged };
  } finally {
    await file.close();
  }
}

/**
 * Judges every record of a segment. `nextFirst` is where the next segment begins; records missing before it
 * are lost. In the last segment whatever follows the last whole record is a torn tail.
 */
function judgeSegment(
  { name, first, header }: FoundFile,
  bytes: Buffer,
  nextFirst: number | undefined,
  seed: number,
): JudgedSegment {
  const lost: LostRange[] = [];
  let expected = first;
  let lastAt = header?.lastAt ?? 0;
  let settledAt = 0;
  let unsettled: UnsettledBoot | undefined;
  const boot = header?.boot ?? '';
  const end = nextFirst ?? Number.POSITIVE_INFINITY;
  for (let sequence = first; sequence < end; sequence += 1) {
    const offset = positionOf({ first }, sequence);
    if (offset >= bytes.length) break;
    const record = readRecord(bytes, offset, sequence, seed);
    if (!record) continue;
    if (sequence > expected) lost.push([expected, sequence - 1]);
    expected = sequence + 1;
    lastAt = record.at;
    if (record.settled) settledAt = record.at;
    else {
      const { at, moment } = record;
      unsettled = {
        boot,
        claimed: unsettled?.claimed ?? at - moment,
        last: moment,
        after: unsettled?.after ?? settledAt,
      };
    }
  }
  if (nextFirst !== undefined && expected < nextFirst) lost.push([expected, nextFirst - 1]);
  const count = (nextFirst ?? expected) - first;
  const readable = header !== undefined || expected > first;
  return {
    segment: { name, first, count, lastAt, boot },
    size: bytes.length,
    readable,
    lost,
    settledAt,
    unsettled,
  };
}
