import { join } from 'node:path';
import type { FileSystem, OpenFile } from './file-system.ts';
import { NotStored } from './journal-errors.ts';
import { recordSize } from './record-codec.ts';
import { segmentName } from './segment.ts';
import { encodeHeader, headerSize, type SegmentHeader } from './segment-header.ts';
import { writeDurably } from './small-file.ts';

export interface ReserveSettings {
  /** How many segments are reserved. */
  readonly reserve: number;
  readonly recordsPerSegment: number;
}

const suffix = '.reserve';

/**
 * Files that hold the space of whole segments on the disk. When other programs fill the disk, such a file becomes the
 * next segment: writing over what a file already has needs no more room, and nobody else can take that space.
 */
export class JournalReserve {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #settings: ReserveSettings;
  #names: readonly string[] = [];

  constructor(files: FileSystem, directory: string, settings: ReserveSettings) {
    this.#files = files;
    this.#directory = directory;
    this.#settings = settings;
  }

  get isComplete(): boolean {
    return this.#names.length >= this.#settings.reserve;
  }

  /** Finds the files that an earlier start has reserved. */
  async find(): Promise<void> {
    if (this.#settings.reserve === 0) return;
    const names = await this.#files.list(this.#directory);
    this.#names = names.filter((name) => name.endsWith(suffix));
  }

  /** Reserves what is missing. Rejects with the system's error, e.g. where there is no room. */
  async refill(): Promise<void> {
    const { reserve, recordsPerSegment } = this.#settings;
    for (let number = 1; number <= reserve && !this.isComplete; number += 1) {
      const name = `${number}${suffix}`;
      if (this.#names.includes(name)) continue;
      const path = join(this.#directory, name);
      const content = Buffer.alloc(headerSize + recordsPerSegment * recordSize);
      try {
        await writeDurably(this.#files, this.#directory, path, content);
      } catch (error) {
        await this.#files.remove(`${path}.new`).catch(() => {});
        throw error;
      }
      this.#names = [...this.#names, name];
    }
  }

  /** Begins a segment in a reserved file and opens it; undefined where none is left. */
  async begin(header: SegmentHeader): Promise<OpenFile | undefined> {
    const [name, ...others] = this.#names;
    if (name === undefined) return undefined;
    const reserved = join(this.#directory, name);
    const file = await this.#files.open(reserved);
    try {
      await file.write(encodeHeader(header), 0);
      await file.sync();
    } finally {
      await file.close();
    }
    this.#names = others;
    const path = join(this.#directory, segmentName(header.first));
    await this.#files.rename(reserved, path);
    await this.#files.syncDirectory(this.#directory);
    return this.#files.open(path);
  }
}

/** How often the reserve is filled again at most (ms): each try may write 128 KiB. */
const refillEvery = 60_000;

/**
 * With less than this free (bytes) a disk is reported as full. The last block of a segment has room for some 100 crossings
 * more, which would hide it for a day.
 */
const leastFree = 1_048_576;

export interface RoomCheckParts {
  readonly files: FileSystem;
  readonly directory: string;
  readonly reserve: JournalReserve;
  readonly monotonic: () => number;
}

/**
 * Makes the function that says whether a disk has room for more than the next crossings: it fills the reserve, and where
 * nothing was written before, it writes a small file. It rejects with the system's error, or with NotStored.
 */
export function roomCheck({ files, directory, reserve, monotonic }: RoomCheckParts) {
  let failure: { readonly error: unknown; readonly until: number } | undefined;
  return async (hasWritten: boolean): Promise<void> => {
    if (failure && !reserve.isComplete && monotonic() < failure.until) throw failure.error;
    try {
      await files.assertWritable(directory);
      if (!reserve.isComplete) await reserve.refill();
      else if (!hasWritten) await writeProbe(files, directory);
      if ((await files.freeBytes(directory)) < leastFree) throw new NotStored('full');
      failure = undefined;
    } catch (error) {
      failure = { error, until: monotonic() + refillEvery };
      throw error;
    }
  };
}

async function writeProbe(files: FileSystem, directory: string): Promise<void> {
  const path = join(directory, 'probe');
  await writeDurably(files, directory, path, Buffer.alloc(4_096, 1));
  await files.remove(path);
}
