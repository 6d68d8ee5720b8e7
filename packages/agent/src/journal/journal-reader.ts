import { join } from 'node:path';
import type { FileSystem, OpenFile } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { Mutex } from './mutex.ts';
import { readAround } from './read-around.ts';
import {
  checksumSeed,
  type JournaledCrossing,
  type JournalRecord,
  readRecord,
  recordSize,
} from './record-codec.ts';
import { positionOf, type Segment } from './segment.ts';

/** Reads durable crossings where they lie; nothing is kept in memory but one open file. */
export class JournalReader {
  readonly #files: FileSystem;
  readonly #state: JournalState;
  readonly #mutex = new Mutex();
  #open: { readonly name: string; readonly file: OpenFile } | undefined;

  constructor(files: FileSystem, state: JournalState) {
    this.#files = files;
    this.#state = state;
  }

  /**
   * At most `max` crossings with consecutive sequences, the first of them the first readable one from
   * sequence `from` on; empty when there is none yet, or when its instant is not settled. Calls wait for one another.
   */
  read(from: number, max: number): Promise<JournaledCrossing[]> {
    return this.#mutex.runExclusive(() => this.#read(from, max));
  }

  /** Runs `work` while nothing is read and no file is open. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(async () => {
      await this.#letGo();
      return work();
    });
  }

  async #read(from: number, max: number): Promise<JournaledCrossing[]> {
    for (const segment of this.#state.segments) {
      const end = segment.first + segment.count;
      for (let first = Math.max(from, segment.first); first < end; first += max) {
        const found = await this.#readRun(segment, first, Math.min(max, end - first));
        if (found === 'not settled') return [];
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  async close(): Promise<void> {
    await this.exclusively(async () => {});
  }

  async #letGo(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
  }

  async #readRun(
    segment: Segment,
    from: number,
    count: number,
  ): Promise<JournaledCrossing[] | 'not settled'> {
    const file = await this.#fileOf(segment);
    const bytes = Buffer.alloc(count * recordSize);
    await readAround(file, bytes, positionOf(segment, from));
    const seed = checksumSeed(this.#state.journal);
    const run: JournaledCrossing[] = [];
    for (let index = 0; index < count; index += 1) {
      const record = readRecord(bytes, index * recordSize, from + index, seed);
      const crossing = record && settled(record, segment, this.#state);
      if (record && !crossing) return run.length > 0 ? run : 'not settled';
      if (crossing) run.push(crossing);
      else if (run.length > 0) break;
    }
    return run;
  }

  async #fileOf({ name }: Segment): Promise<OpenFile> {
    if (this.#open?.name === name) return this.#open.file;
    await this.#letGo();
    const file = await this.#files.open(join(this.#state.directory, name));
    this.#open = { name, file };
    return file;
  }
}

/** The crossing with its instant; undefined while that is not settled. */
function settled(
  { sequence, direction, moment, ...record }: JournalRecord,
  { boot }: Segment,
  { clocks }: JournalState,
): JournaledCrossing | undefined {
  if (record.settled) return { sequence, at: record.at, direction, uncertainty: record.uncertainty };
  const known = clocks.get(boot);
  if (!known) return undefined;
  const at = Math.max(0, Math.round(known.offset + moment));
  return { sequence, at, direction, uncertainty: known.uncertainty };
}
