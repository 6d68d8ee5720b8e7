import type { UnsettledBoot } from '../clock/settle-boots.ts';
import type { FileSystem } from './file-system.ts';
import { isDiskError } from './journal-errors.ts';
import type { LostRange } from './lost-ranges.ts';
import { readAround } from './read-around.ts';
import { readRecord, recordSize } from './record-codec.ts';
import type { Retries } from './retries.ts';
import { endOf, positionOf, type Segment } from './segment.ts';
import { decodeHeader, headerSize, type SegmentHeader } from './segment-header.ts';

/** A segment file as it was found. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly first: number;
}

/** The usable content of a segment. */
export interface JudgedSegment {
  readonly segment: Segment;
  /** How many bytes are used, without the zeros after the last record that a reserved file has. */
  readonly size: number;
  /** False when there is neither a header nor a record in it, nor anything that the disk cannot read. */
  readonly readable: boolean;
  readonly lost: readonly LostRange[];
  /** Instant (epoch ms) of its last crossing with a known instant; 0 when there is none. */
  readonly settledAt: number;
  /** Its boot, if it has crossings without a known instant. */
  readonly unsettled: UnsettledBoot | undefined;
}

/** The header of a segment, or the error if the disk cannot read it. */
export type FoundHeader = { readonly header: SegmentHeader | undefined } | { readonly unreadable: unknown };

/** Reads only the header: a folder may be larger than the memory of a small unit. */
export async function readHeader(files: FileSystem, path: string): Promise<FoundHeader> {
  const read = await readStart(files, path, headerSize);
  const header = decodeHeader(read.bytes);
  return header || !read.damaged ? { header } : { unreadable: read.cause };
}

export interface ScanOptions {
  /** Where the next segment begins; undefined for the last one. */
  readonly nextFirst: number | undefined;
  /** The initial value of checksums. */
  readonly seed: number;
  readonly retries: Retries;
  /** Whether a range is acknowledged or declared lost: reading it is then not retried. */
  readonly isDone: (range: LostRange) => boolean;
}

/**
 * Reads a whole segment into memory and evaluates it: see `judgeSegment`. If the disk cannot read all of it,
 * the end of its records is unknown: all its places count as used, and it is sealed. Rejects if the disk
 * cannot open the last segment, because the last sequence is then unknown.
 */
export async function scanSegment(
  files: FileSystem,
  found: FoundFile,
  options: ScanOptions,
): Promise<JudgedSegment> {
  const { nextFirst, isDone } = options;
  const read = async () => judgeRead(found, await readStart(files, found.path), options);
  const { judged, isDamaged, cause } = await options.retries.until(read, (result) => {
    const { readable, lost } = result.judged;
    const isEndUnsure = nextFirst === undefined && (result.isDamaged || result.hasTail);
    const isBootUnsure = result.isHeaderUnread && !isDone([found.first, endOf(result.judged.segment)]);
    if (!isEndUnsure && !isBootUnsure && lost.every(isDone) && readable) return undefined;
    return result.isDamaged ? 'failing' : 'wrong';
  });
  if (nextFirst === undefined && isDamaged && judged.size === 0) throw cause;
  if (!isDamaged) return judged;
  return { ...judged, readable: true, segment: { ...judged.segment, sealed: true } };
}

interface JudgedRead {
  readonly judged: JudgedSegment;
  /** The disk could not read all of it. */
  readonly isDamaged: boolean;
  readonly isHeaderUnread: boolean;
  /** All of it could be read, and something follows the last record. */
  readonly hasTail: boolean;
  readonly cause: unknown;
}

function judgeRead(
  found: FoundFile,
  { bytes, damaged, cause }: ReadStart,
  { nextFirst, seed }: ScanOptions,
): JudgedRead {
  const end = damaged ? (nextFirst ?? found.first + placesIn(bytes)) : nextFirst;
  const judged = judgeSegment(found, bytes, end, seed);
  const { segment } = judged;
  const hasTail = !damaged && positionOf(segment, endOf(segment) + 1) < judged.size;
  const isHeaderUnread = damaged && decodeHeader(bytes) === undefined;
  return { judged, isDamaged: damaged, isHeaderUnread, hasTail, cause };
}

/** How many records fit into the bytes of a segment. */
function placesIn(bytes: Buffer): number {
  return Math.max(0, Math.floor((bytes.length - headerSize) / recordSize));
}

interface ReadStart {
  readonly bytes: Buffer;
  /** Some of it could not be read, and is zeros or missing. */
  readonly damaged: boolean;
  readonly cause?: unknown;
}

/**
 * Reads the first `length` bytes of a file, or all of it without `length`: fewer if the file is shorter, none if the
 * disk cannot open it.
 */
async function readStart(files: FileSystem, path: string, length?: number): Promise<ReadStart> {
  try {
    const file = await files.open(path);
    try {
      const buffer = Buffer.alloc(length ?? (await file.size()));
      const read = await readAround(file, buffer, 0);
      return { bytes: buffer.subarray(0, read.length), damaged: read.damaged };
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (!isDiskError(cause)) throw cause;
    return { bytes: Buffer.alloc(0), damaged: true, cause };
  }
}

/**
 * Evaluates every record of a segment. `nextFirst` is where the next segment begins; records missing before
 * it are lost. In the last segment, everything after the last whole record is a torn tail, unless the segment
 * has neither a header nor a record: then all its places may have been used.
 */
function judgeSegment(
  { name, first }: FoundFile,
  bytes: Buffer,
  nextFirst: number | undefined,
  seed: number,
): JudgedSegment {
  const header = decodeHeader(bytes);
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
  const readable = header !== undefined || expected > first;
  const used = nextFirst ?? (readable ? expected : first + placesIn(bytes));
  if (expected < used) lost.push([expected, used - 1]);
  const count = used - first;
  return {
    segment: { name, first, count, lastAt, boot },
    size: usedSize(bytes, positionOf({ first }, used)),
    readable,
    lost,
    settledAt,
    unsettled,
  };
}

function usedSize(bytes: Buffer, end: number): number {
  let used = bytes.length;
  while (used > end && bytes[used - 1] === 0) used -= 1;
  return used;
}
