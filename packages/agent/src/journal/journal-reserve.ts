import { join } from 'node:path';
import { withFile, writeDurably } from './file-system.ts';
import { asNotStored, NotStored } from './journal-errors.ts';
import type { JournalState } from './journal-state.ts';
import { encodeHeader, headerSize, recordSize, type Segment, segmentName } from './segment-format.ts';

const suffix = '.reserve';

/** The shortest time between two attempts to fill the reserve of a full disk (ms): each may write 128 KiB. */
const refillEvery = 60_000;

/**
 * With less free space (bytes) a disk is reported as full. The last block of a segment has room for some 100 more crossings,
 * so without this limit a full disk would be reported a day late.
 */
const leastFree = 1_048_576;

/**
 * Files that reserve the space of whole segments on the disk. When other programs fill the disk, such a file becomes the
 * next segment: overwriting a file needs no more space, and no other program can use it.
 */
export class JournalReserve {
  readonly #state: JournalState;
  #names: readonly string[] = [];
  #failure: { readonly error: unknown; readonly until: number } | undefined;

  constructor(state: JournalState) {
    this.#state = state;
  }

  /** Finds the files that an earlier start has reserved. */
  async find(): Promise<void> {
    const { directory, settings } = this.#state;
    if (settings.reserve === 0) return;
    const names = await settings.files.list(directory);
    this.#names = names.filter((name) => name.endsWith(suffix));
  }

  /**
   * Resolves if the disk has room for more than the next crossings: fills the reserve or, if no crossing was written just
   * now (`hasWritten`), writes a small file. Rejects with the system's error, or with NotStored. After writes attempts are
   * limited, since there are as many writes as crossings.
   */
  async checkRoom(hasWritten: boolean): Promise<void> {
    const { directory, settings } = this.#state;
    const { files, monotonic } = settings;
    if (this.#failure && hasWritten && !this.#isComplete && monotonic() < this.#failure.until)
      throw this.#failure.error;
    try {
      await files.assertWritable(directory);
      if (!this.#isComplete) await this.#refill();
      else if (!hasWritten) await this.#writeProbe();
      if ((await files.freeBytes(directory)) < leastFree) throw new NotStored('full');
      this.#failure = undefined;
    } catch (error) {
      /* A disk that could not be written may be usable again soon, and must not be reported as failed for a minute. */
      const pause = asNotStored(error).problem === 'full' ? refillEvery : settings.retryEvery;
      this.#failure = { error, until: monotonic() + pause };
      throw error;
    }
  }

  /** Begins a segment with these records in a reserved file, durably; resolves with false if none is left. */
  async begin(segment: Segment, records: Buffer = Buffer.alloc(0)): Promise<boolean> {
    const { directory, journal, settings } = this.#state;
    const [name, ...others] = this.#names;
    if (name === undefined) return false;
    /* If the disk cannot write this file, the next attempt uses another one. */
    this.#names = [...others, name];
    const reserved = join(directory, name);
    await withFile(settings.files.open(reserved), async (file) => {
      await file.write(Buffer.concat([encodeHeader(journal, segment), records]), 0);
      await file.sync();
    });
    this.#names = others;
    await settings.files.rename(reserved, join(directory, segmentName(segment)));
    await settings.files.syncDirectory(directory);
    return true;
  }

  /** Reserves the missing files. Rejects with the system's error, e.g. if there is no room. */
  async #refill(): Promise<void> {
    const { directory, settings } = this.#state;
    const { files, reserve, recordsPerSegment } = settings;
    for (let number = 1; number <= reserve && !this.#isComplete; number += 1) {
      const name = `${number}${suffix}`;
      if (this.#names.includes(name)) continue;
      const content = Buffer.alloc(headerSize + recordsPerSegment * recordSize);
      await writeDurably(files, join(directory, name), content);
      this.#names = [...this.#names, name];
    }
  }

  get #isComplete(): boolean {
    return this.#names.length >= this.#state.settings.reserve;
  }

  async #writeProbe(): Promise<void> {
    const { files } = this.#state.settings;
    const path = join(this.#state.directory, 'probe');
    await writeDurably(files, path, Buffer.alloc(4_096, 1));
    await files.remove(path);
  }
}
