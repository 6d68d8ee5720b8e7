import { join } from 'node:path';
import type { FileSystem, OpenFile } from './file-system.ts';
import { recordSize } from './record-codec.ts';
import { encodeHeader, headerSize, type SegmentHeader } from './segment-header.ts';
import { writeDurably } from './small-file.ts';

/** A file of consecutive records. */
export interface Segment {
  readonly name: string;
  readonly first: number;
  /** How many records, damaged ones included, are durable in it. */
  readonly count: number;
  /** Instant (epoch ms) of the last readable crossing up to its end; 0 when there is none. */
  readonly lastAt: number;
  /** The boot of its records without a known instant. */
  readonly boot: string;
  /** The disk cannot read all of it: nothing is appended or cut off. */
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

/**
 * Creates an empty segment and opens it. It appears under its name only with a whole, durable header: a cut
 * at any moment leaves either no segment or a good one.
 */
export async function createSegment(
  files: FileSystem,
  directory: string,
  header: SegmentHeader,
): Promise<OpenFile> {
  const path = join(directory, segmentName(header.first));
  await writeDurably(files, directory, path, encodeHeader(header));
  return files.open(path);
}

const nameDigits = 16;
const namePattern = /^(\d{16})\.journal$/;

/** The name of the file with the records from sequence `first` on; names sort like sequences. */
export function segmentName(first: number): string {
  return `${String(first).padStart(nameDigits, '0')}.journal`;
}

/** The first sequence of the segment with this name; undefined for other files. */
export function firstOfSegment(name: string): number | undefined {
  const first = namePattern.exec(name)?.[1];
  return first === undefined ? undefined : Number(first);
}

/** The size of segments on the disk. */
export function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { count }) => sum + headerSize + count * recordSize, 0);
}
