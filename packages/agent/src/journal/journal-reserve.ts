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
  readonly monotonic: () => number;
}

const suffix = '.reserve';

/** The shortest time between two attempts to fill the reserve (ms): each may write 128 KiB. */
const refillEvery = 60_000;

/**
 * With less free space (bytes) a disk is reported as full. The last block of a segment has room for some 100 crossings
 * more, which would hide that for a day.
 */
const leastFree = 1_048_576;

/**
 * Files that reserve the space of whole segments on the disk. When other programs fill the disk, such a file becomes the
 * next segment: overwriting a file needs no more space, and no other program can use it.
 */
export class JournalReserve {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #settings: ReserveSettings;
  #names: readonly string[] = [];
  #failure: { readonly error: unknown; readonly until: number } | undefined;

  constructor(files: FileSystem, directory: string, settings: ReserveSettings) {
    this.#files = files;
    this.#directory = directory;
    this.#settings = settings;
  }

  /** Finds the files that an earlier start has reserved. */
  async find(): Promise<void> {
    if (this.#settings.reserve === 0) return;
    const names = await this.#files.list(this.#directory);
    this.#names = names.filter((name) => name.endsWith(suffix));
  }

  /**
   * Resolves if the disk has room for more than the next crossings: fills the reserve or, if nothing was written before
   * (`hasWritten`), writes a small file. Rejects with the system's error, or with NotStored.
   */
  async checkRoom(hasWritten: boolean): Promise<void> {
    const { monotonic } = this.#settings;
    if (this.#failure && !this.#isComplete && monotonic() < this.#failure.until) throw this.#failure.error;
    try {
      await this.#files.assertWritable(this.#directory);
      if (!this.#isComplete) await this.#refill();
      else if (!hasWritten) await writeProbe(this.#files, this.#directory);
      if ((await this.#files.freeBytes(this.#directory)) < leastFree) throw new NotStored('full');
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error, until: monotonic() + refillEvery };
      throw error;
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

  /** Reserves the missing files. Rejects with the system's error, e.g. if there is no room. */
  async #refill(): Promise<void> {
    const { reserve, recordsPerSegment } = this.#settings;
    for (let number = 1; number <= reserve && !this.#isComplete; number += 1) {
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

  get #isComplete(): boolean {
    return this.#names.length >= this.#settings.reserve;
  }
}

async function writeProbe(files: FileSystem, directory: string): Promise<void> {
  const path = join(directory, 'probe');
  await writeDurably(files, directory, path, Buffer.alloc(4_096, 1));
  await files.remove(path);
}
