import { join } from 'node:path';
import { instantsIn, type KnownInstants } from './boot-times.ts';
import { type FileSystem, type OpenFile, withFile } from './file-system.ts';
import { isDiskError } from './journal-errors.ts';
import type { LostRange } from './lost-ranges.ts';
import type { Attempt, Retries } from './retries.ts';
import {
  decodeHeader,
  endOf,
  headerSize,
  type JournalRecord,
  positionOf,
  readRecord,
  recordSize,
  type Segment,
  type SegmentHeader,
  segmentName,
} from './segment-format.ts';

/** The smallest unreadable part of a disk (bytes). No record spans two sectors, nor do both copies of a header. */
const sectorSize = 512;

/**
 * Reads as `file.read` does, but returns zeros, which are no valid record, for each sector that the disk cannot read, and
 * for missing bytes before the end of the file. Resolves with how many bytes the file has there, and whether some of them
 * could not be read.
 */
export async function readAround(
  file: OpenFile,
  buffer: Buffer,
  position: number,
): Promise<{ readonly length: number; readonly damaged: boolean }> {
  const length = Math.min(buffer.length, Math.max(0, (await file.size()) - position));
  if (await canRead(file, buffer.subarray(0, length), position)) return { length, damaged: false };
  let damaged = false;
  for (let from = 0; from < length; ) {
    const sectorEnd = from + sectorSize - ((position + from) % sectorSize);
    const sector = buffer.subarray(from, Math.min(length, sectorEnd));
    if (!(await canRead(file, sector, position + from))) {
      sector.fill(0);
      damaged = true;
    }
    from = sectorEnd;
  }
  return { length, damaged };
}

/** Fills `part`; resolves with whether the disk could read all of it. */
async function canRead(file: OpenFile, part: Buffer, position: number): Promise<boolean> {
  try {
    return (await file.read(part, position)) === part.length;
  } catch (error) {
    if (!isDiskError(error)) throw error;
    return false;
  }
}

/** The header of a segment, or the error if the disk cannot read it. */
export type FoundHeader = { readonly header: SegmentHeader | undefined } | { readonly unreadable: unknown };

/** Reads only the header: a folder may be larger than the memory of a small unit. */
export async function readHeader(files: FileSystem, path: string): Promise<FoundHeader> {
  const { bytes, damaged, cause } = await readStart(files, path, headerSize);
  const header = decodeHeader(bytes);
  return header || !damaged ? { header } : { unreadable: cause };
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
    return await withFile(files.open(path), async (file) => {
      const buffer = Buffer.alloc(length ?? (await file.size()));
      const read = await readAround(file, buffer, 0);
      return { bytes: buffer.subarray(0, read.length), damaged: read.damaged };
    });
  } catch (cause) {
    if (!isDiskError(cause)) throw cause;
    return { bytes: Buffer.alloc(0), damaged: true, cause };
  }
}

/** The usable content of a segment. */
export interface JudgedSegment {
  readonly segment: Segment;
  /** The used part without the header; undefined unless it is the last segment. */
  readonly records: Buffer | undefined;
  /** How many bytes are used, without the zeros after the last record that a reserved file has. */
  readonly size: number;
  /** False when there is neither a header nor a record in it, nor anything that the disk cannot read. */
  readonly readable: boolean;
  readonly lost: readonly LostRange[];
  readonly instants: KnownInstants;
}

interface ScanOptions {
  readonly first: number;
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
  directory: string,
  { first, nextFirst, seed, retries, isDone }: ScanOptions,
): Promise<JudgedSegment> {
  const path = join(directory, segmentName({ first }));
  const read = await retries.until(async (): Promise<Attempt & ReadStart & { judged: JudgedSegment }> => {
    const start = await readStart(files, path);
    const { bytes, damaged } = start;
    const end = damaged ? (nextFirst ?? first + placesIn(bytes)) : nextFirst;
    const judged = judgeSegment(first, bytes, end, seed);
    const { segment, size, readable, lost } = judged;
    const hasTail = positionOf(segment, endOf(segment) + 1) < size;
    const isEndUnsure = nextFirst === undefined && (damaged || hasTail);
    const isBootUnsure = damaged && !decodeHeader(bytes) && !isDone([first, endOf(segment)]);
    const isGood = !isEndUnsure && !isBootUnsure && lost.every(isDone) && readable;
    const problem = damaged ? 'failing' : 'wrong';
    return { ...start, judged, problem: isGood ? undefined : problem };
  });
  const { judged, damaged, cause } = read;
  if (!damaged) return judged;
  if (nextFirst === undefined && judged.size === 0) throw cause;
  return { ...judged, readable: true, segment: { ...judged.segment, sealed: true } };
}

/**
 * Evaluates every record of a segment. `nextFirst` is where the next segment begins; records missing before
 * it are lost. In the last segment, everything after the last whole record is a torn tail, unless the segment
 * has neither a header nor a record: then all its places may have been used.
 */
function judgeSegment(
  first: number,
  bytes: Buffer,
  nextFirst: number | undefined,
  seed: number,
): JudgedSegment {
  const header = decodeHeader(bytes);
  const records: JournalRecord[] = [];
  const end = Math.min(nextFirst ?? Number.POSITIVE_INFINITY, first + placesIn(bytes));
  for (let sequence = first; sequence < end; sequence += 1) {
    const record = readRecord(bytes, positionOf({ first }, sequence), sequence, seed);
    if (record) records.push(record);
  }
  const last = records.at(-1);
  const readable = header !== undefined || last !== undefined;
  const used = nextFirst ?? (readable ? (last?.sequence ?? first - 1) + 1 : first + placesIn(bytes));
  const boot = header?.boot ?? '';
  return {
    segment: { first, count: used - first, lastAt: last?.at ?? header?.lastAt ?? 0, boot },
    records: nextFirst === undefined ? bytes.subarray(headerSize, positionOf({ first }, used)) : undefined,
    size: usedSize(bytes, positionOf({ first }, used)),
    readable,
    lost: missingOf(records, first, used),
    instants: instantsIn(records, boot),
  };
}

/** How many records fit into the bytes of a segment. */
function placesIn(bytes: Buffer): number {
  return Math.max(0, Math.floor((bytes.length - headerSize) / recordSize));
}

function usedSize(bytes: Buffer, end: number): number {
  let used = bytes.length;
  while (used > end && bytes[used - 1] === 0) used -= 1;
  return used;
}

/** The sequences from `first` to before `end` that have no record. */
function missingOf(records: readonly JournalRecord[], first: number, end: number): LostRange[] {
  const sequences = [first - 1, ...records.map(({ sequence }) => sequence), end];
  return sequences.flatMap((sequence, index): LostRange[] => {
    const next = sequences[index + 1] ?? sequence;
    return next > sequence + 1 ? [[sequence + 1, next - 1]] : [];
  });
}
