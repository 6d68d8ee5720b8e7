import { setTimeout as delay } from 'node:timers/promises';
import type { OpenFile } from './file-system.ts';

/** What a disk gives up at once (bytes). A record never spans two, nor do both copies of a header and a record. */
const sectorSize = 512;

/** How often a sector is tried that cannot be read, and how long is waited between (ms): a card may come back. */
const attempts = 3;
const attemptEvery = 100;

export interface ReadAround {
  /** How much of the buffer is filled. */
  readonly length: number;
  /** Whether some of it could not be read, and is zeros. */
  readonly damaged: boolean;
}

/**
 * Reads as `file.read` does, but where the disk cannot read a sector (EIO), the others are read nevertheless, and that
 * one comes as zeros, which are no record.
 */
export async function readAround(file: OpenFile, buffer: Buffer, position: number): Promise<ReadAround> {
  try {
    return { length: await file.read(buffer, position), damaged: false };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  buffer.fill(0);
  const length = Math.min(buffer.length, Math.max(0, (await file.size()) - position));
  let unread = sectorsBetween(position, position + length);
  for (let attempt = 1; attempt <= attempts && unread.length > 0; attempt += 1) {
    if (attempt > 1) await delay(attemptEvery);
    unread = await readSectors(file, buffer, position, unread);
  }
  return { length, damaged: unread.length > 0 };
}

type Sector = readonly [from: number, until: number];

/** The parts of a stretch of a file that lie in one sector each. */
function sectorsBetween(from: number, until: number): Sector[] {
  const sectors: Sector[] = [];
  for (let start = from; start < until; ) {
    const end = Math.min(until, start - (start % sectorSize) + sectorSize);
    sectors.push([start, end]);
    start = end;
  }
  return sectors;
}

/** Reads sectors to their places in a buffer that begins at `position`; gives those that cannot be read. */
async function readSectors(
  file: OpenFile,
  buffer: Buffer,
  position: number,
  sectors: readonly Sector[],
): Promise<Sector[]> {
  const unread: Sector[] = [];
  for (const [from, until] of sectors) {
    try {
      await file.read(buffer.subarray(from - position, until - position), from);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      unread.push([from, until]);
    }
  }
  return unread;
}

/** What the system says of a sector that it cannot read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EIO';
}
