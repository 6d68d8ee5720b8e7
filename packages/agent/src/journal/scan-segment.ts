import type { FileSystem } from './file-system.ts';
import { readRecord } from './record-codec.ts';
import { positionOf, type Segment } from './segment.ts';
import { decodeHeader, headerSize, type SegmentHeader } from './segment-header.ts';

/** First and last sequence of a stretch that cannot be read. */
export type LostRange = readonly [first: number, last: number];

/** A segment file as it was found. */
export interface ScannedFile {
  readonly name: string;
  readonly first: number;
  readonly bytes: Buffer;
  readonly header: SegmentHeader | undefined;
}

/** What of a segment can be used. */
export interface JudgedSegment {
  readonly segment: Segment;
  readonly size: number;
  /** False when there is neither a header nor a record in it. */
  readonly readable: boolean;
  readonly lost: readonly LostRange[];
}

export async function scanFile(
  files: FileSystem,
  path: string,
  name: string,
  first: number,
): Promise<ScannedFile> {
  const file = await files.open(path);
  try {
    const bytes = Buffer.alloc(await file.size());
    await file.read(bytes, 0);
    return { name, first, bytes, header: decodeHeader(bytes.subarray(0, headerSize)) };
  } finally {
    await file.close();
  }
}

/**
 * Judges every record of a segment. `nextFirst` is where the next segment begins; records missing before it
 * are lost. In the last segment whatever follows the last whole record is a torn tail.
 */
export function judgeSegment(
  { name, first, bytes, header }: ScannedFile,
  nextFirst: number | undefined,
  seed: number,
): JudgedSegment {
  const lost: LostRange[] = [];
  let expected = first;
  let lastAt = header?.lastAt ?? 0;
  const end = nextFirst ?? Number.POSITIVE_INFINITY;
  for (let sequence = first; sequence < end; sequence += 1) {
    const offset = positionOf({ first }, sequence);
    if (offset >= bytes.length) break;
    const record = readRecord(bytes, offset, sequence, seed);
    if (!record) continue;
    if (sequence > expected) lost.push([expected, sequence - 1]);
    expected = sequence + 1;
    lastAt = record.at;
  }
  if (nextFirst !== undefined && expected < nextFirst) lost.push([expected, nextFirst - 1]);
  const count = (nextFirst ?? expected) - first;
  const readable = header !== undefined || expected > first;
  return { segment: { name, first, count, lastAt }, size: bytes.length, readable, lost };
}
