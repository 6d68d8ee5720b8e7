import type { OpenFile } from './file-system.ts';
import { isDiskError } from './journal-errors.ts';

/** The smallest unreadable part of a disk (bytes). No record spans two sectors, nor do both copies of a header. */
const sectorSize = 512;

export interface ReadAround {
  /** How much of the buffer is filled. */
  readonly length: number;
  /** Whether some of it could not be read, and is zeros. */
  readonly damaged: boolean;
}

/**
 * Reads as `file.read` does, but returns zeros, which are no valid record, for each sector that the disk cannot read, and
 * for missing bytes before the end of the file.
 */
export async function readAround(file: OpenFile, buffer: Buffer, position: number): Promise<ReadAround> {
  try {
    const length = await file.read(buffer, position);
    if (length === buffer.length || length === (await lengthFrom(file, buffer, position)))
      return { length, damaged: false };
  } catch (error) {
    if (!isDiskError(error)) throw error;
  }
  buffer.fill(0);
  const length = await lengthFrom(file, buffer, position);
  const damaged = await readSectors(file, buffer, position, sectorsBetween(position, position + length));
  return { length, damaged };
}

/** How many bytes of the buffer the file has from `position` on. */
async function lengthFrom(file: OpenFile, buffer: Buffer, position: number): Promise<number> {
  return Math.min(buffer.length, Math.max(0, (await file.size()) - position));
}

type Sector = readonly [from: number, until: number];

/** The parts of a range of a file, each within one sector. */
function sectorsBetween(from: number, until: number): Sector[] {
  const sectors: Sector[] = [];
  for (let start = from; start < until; ) {
    const end = Math.min(until, start - (start % sectorSize) + sectorSize);
    sectors.push([start, end]);
    start = end;
  }
  return sectors;
}

/** Reads sectors into a buffer that begins at `position`; unreadable ones become zeros. Resolves with whether there are any. */
async function readSectors(
  file: OpenFile,
  buffer: Buffer,
  position: number,
  sectors: readonly Sector[],
): Promise<boolean> {
  let damaged = false;
  for (const [from, until] of sectors) {
    const part = buffer.subarray(from - position, until - position);
    try {
      if ((await file.read(part, from)) === part.length) continue;
    } catch (error) {
      if (!isDiskError(error)) throw error;
    }
    part.fill(0);
    damaged = true;
  }
  return damaged;
}
