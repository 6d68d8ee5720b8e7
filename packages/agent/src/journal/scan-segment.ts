import type { UnsettledBoot } from '../clock/settle-boots.ts';
import type { FileSystem } from './file-system.ts';
import { readRecord } from './record-codec.ts';
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
  /** False when there is neither a header nor a record in it. */
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
  return { path, name, first, header: decodeHeader(await readStart(files, path, headerSize)) };
}

/** Reads a segment, one at a time in memory, and judges it: see `judgeSegment`. */
export async function scanSegment(
  files: FileSystem,
  found: FoundFile,
  nextFirst: number | undefined,
  seed: number,
): Promise<JudgedSegment> {
  return judgeSegment(found, await readStart(files, found.path), nextFirst, seed);
}

/** The first `length` bytes of a file, all of it when left out; fewer where it ends before. */
async function readStart(files: FileSystem, path: string, length?: number): Promise<Buffer> {
  const file = await files.open(path);
  try {
    const bytes = Buffer.alloc(length ?? (await file.size()));
    return bytes.subarray(0, await file.read(bytes, 0));
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
