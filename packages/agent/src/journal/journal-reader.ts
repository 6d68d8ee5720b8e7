import { join } from 'node:path';
import type { FileSystem, OpenFile } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { checksumSeed, type JournaledCrossing, readRecord, recordSize } from './record-codec.ts';
import { positionOf, type Segment } from './segment.ts';

/** Reads durable crossings where they lie; nothing is kept in memory but one open file. */
export class JournalReader {
  readonly #files: FileSystem;
  readonly #state: JournalState;
  readonly #seed: number;
  #open: { readonly name: string; readonly file: OpenFile } | undefined;

  constructor(files: FileSystem, state: JournalState) {
    this.#files = files;
    this.#state = state;
    this.#seed = checksumSeed(state.journal);
  }

  /**
   * At most `max` crossings with consecutive sequences, the first of them the first readable one from
   * sequence `from` on; empty when there is none yet. One call at a time.
   */
  async read(from: number, max: number): Promise<JournaledCrossing[]> {
    for (const segment of this.#state.segments) {
      const end = segment.first + segment.count;
      for (let first = Math.max(from, segment.first); first < end; first += max) {
        const found = await this.#readRun(segment, first, Math.min(max, end - first));
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  async close(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
  }

  async #readRun(segment: Segment, from: number, count: number): Promise<JournaledCrossing[]> {
    const file = await this.#fileOf(segment);
    const bytes = Buffer.alloc(count * recordSize);
    await file.read(bytes, positionOf(segment, from));
    const run: JournaledCrossing[] = [];
    for (let index = 0; index < count; index += 1) {
      const record = readRecord(bytes, index * recordSize, from + index, this.#seed);
      if (record) run.push(record);
      else if (run.length > 0) break;
    }
    return run;
  }

  async #fileOf({ name }: Segment): Promise<OpenFile> {
    if (this.#open?.name === name) return this.#open.file;
    await this.close();
    const file = await this.#files.open(join(this.#state.directory, name));
    this.#open = { name, file };
    return file;
  }
}
