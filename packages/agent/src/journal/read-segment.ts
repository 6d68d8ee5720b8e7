import { join } from 'node:path';
import { instantsIn, type KnownInstants } from './boot-times.ts';
import { type FileSystem, type OpenFile, withFile } from './file-system.ts';
import type { LostRange } from './lost-ranges.ts';
import { type Attempt, diskResult, type Retries } from './retries.ts';
import {
  decodeHeader,
  endOf,
  headerSize,
  type JournalRecord,
  positionOf,
  readRecord,
  recordSize,
  type Segment,
  segmentName,
} from './segment-format.ts';

/** The smallest unreadable part of a disk (bytes). No record spans two sectors, nor do both copies of a header. */
const sectorSize = 512;

/**
 * Reads as `file.read` does, but returns zeros, which are not a valid record, for each sector that the disk cannot read, and
 * for missing bytes before the end of the file. Resolves with how many bytes the file has there, and why some of them could
 * not be read.
 */
export async function readAround(
  file: OpenFile,
  buffer: Buffer,
  position: number,
): Promise<{ readonly length: number; readonly failure: Error | undefined }> {
  const length = Math.min(buffer.length, Math.max(0, (await file.size()) - position));
  let failure = await readPart(file, buffer.subarray(0, length), position);
  if (!failure) return { length, failure };
  /* Some sectors may be readable, or all by now. */
  failure = undefined;
  for (let from = 0; from < length; ) {
    const sectorEnd = from + sectorSize - ((position + from) % sectorSize);
    const sector = buffer.subarray(from, Math.min(length, sectorEnd));
    const unreadable = await readPart(file, sector, position + from);
    if (unreadable) sector.fill(0);
    failure ??= unreadable;
    from = sectorEnd;
  }
  return { length, failure };
}

/** Fills `part`; resolves with the reason if the disk could not read all of it. */
async function readPart(file: OpenFile, part: Buffer, position: number): Promise<Error | undefined> {
  const { value, failure } = await diskResult(file.read(part, position));
  if (failure || value === part.length) return failure;
  return new Error('the disk returned fewer bytes than the file has');
}

interface FileStart {
  readonly bytes: Buffer;
  /** Why some of it could not be read, and is zeros or missing. */
  readonly failure: Error | undefined;
}

/**
 * Reads the first `length` bytes of a file, or all of it without `length`: fewer if the file is shorter, none if the
 * disk cannot open it.
 */
export async function readStart(files: FileSystem, path: string, length?: number): Promise<FileStart> {
  const reading = withFile(files.open(path), async (file) => {
    const buffer = Buffer.alloc(length ?? (await file.size()));
    const { length: read, failure } = await readAround(file, buffer, 0);
    return { bytes: buffer.subarray(0, read), failure };
  });
  const { value, failure } = await diskResult(reading);
  return value ?? { bytes: Buffer.alloc(0), failure };
}

/** The usable content of a segment. */
export interface JudgedSegment {
  readonly segment: Segment;
  /** The used part without the header; undefined unless it is the last segment and the disk can read all of it. */
  readonly records: Buffer | undefined;
  /** False if the disk can read all of it, and it has neither a valid header nor a valid record. */
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
 * can read nothing of the last segment, because the last sequence is then unknown.
 */
export async function scanSegment(
  files: FileSystem,
  directory: string,
  { first, nextFirst, seed, retries, isDone }: ScanOptions,
): Promise<JudgedSegment> {
  const path = join(directory, segmentName({ first }));
  const attempt = async (): Promise<Attempt & FileStart & { judged: JudgedSegment }> => {
    const start = await readStart(files, path);
    const { bytes, failure } = start;
    const end = failure ? (nextFirst ?? first + placesIn(bytes)) : nextFirst;
    const judged = judgeSegment(first, bytes, end, seed);
    const { segment, readable, lost } = judged;
    const tail = bytes.subarray(positionOf(segment, endOf(segment) + 1));
    const isEndUnsure = nextFirst === undefined && (failure || tail.some((byte) => byte !== 0));
    const isBootUnsure = failure && !decodeHeader(bytes) && !isDone([first, endOf(segment)]);
    const isGood = !isEndUnsure && !isBootUnsure && lost.every(isDone) && readable;
    return { ...start, judged, isGood };
  };
  const { bytes, judged, failure } = await retries.until(attempt);
  if (!failure) return judged;
  if (nextFirst === undefined && bytes.length === 0) throw failure;
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
  const found = decodeHeader(bytes);
  /* If two files have exchanged names, the header is that of another segment. */
  const header = found?.first === first ? found : undefined;
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
    readable,
    lost: missingOf(records, first, used),
    instants: instantsIn(records, boot),
  };
}

/** How many records fit into the bytes of a segment. */
function placesIn(bytes: Buffer): number {
  return Math.max(0, Math.floor((bytes.length - headerSize) / recordSize));
}

/** The sequences from `first` to before `end` that have no record. */
function missingOf(records: readonly JournalRecord[], first: number, end: number): LostRange[] {
  const sequences = [first - 1, ...records.map(({ sequence }) => sequence), end];
  return sequences.flatMap((sequence, index): LostRange[] => {
    const next = sequences[index + 1] ?? sequence;
    return next > sequence + 1 ? [[sequence + 1, next - 1]] : [];
  });
}
