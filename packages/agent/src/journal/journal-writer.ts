import { join } from 'node:path';
import { pause } from '../pause.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { JournalFailed } from './journal-errors.ts';
import { bytesOf, type JournalState, noteInstants } from './journal-state.ts';
import { Mutex } from './mutex.ts';
import { asNoRoom, NoRoom } from './no-room.ts';
import { checksumSeed, type NewCrossing, recordSize, writeRecord } from './record-codec.ts';
import { createSegment, positionOf, type Segment } from './segment.ts';
import { headerSize } from './segment-header.ts';
import { segmentName } from './segment-name.ts';
import { WriteQueue } from './write-queue.ts';

export interface WriterSettings {
  readonly recordsPerSegment: number;
  /** The most bytes in all segments. */
  readonly limit: number;
  /** How long until a full disk is tried again (ms). */
  readonly retryEvery: number;
}

export interface WriterHooks {
  /** Something is durable. */
  readonly onDurable: () => void;
  /** There is no room, or again (undefined). */
  readonly onRoom: (missing: NoRoom | undefined) => void;
  /** Removes the oldest acknowledged crossings; resolves with whether there were any. */
  readonly makeRoom: () => Promise<boolean>;
}

const defaults = { uncertainty: 0, moment: 0, settled: true };

/**
 * Appends with group commit: whatever arrives during one fdatasync shares the next.
 *
 * Invariant: `state.recorded` counts only what an fdatasync has covered, so nothing is sent or reported that
 * a power cut could take back. After a failed fdatasync the pages may be dropped while a repeated one
 * succeeds; the writer therefore never writes again. A write that found no room is no such failure: what it
 * left lies behind the last record, and is written over when there is room.
 */
export class JournalWriter {
  readonly #files: FileSystem;
  readonly #state: JournalState;
  readonly #settings: WriterSettings;
  readonly #hooks: WriterHooks;
  readonly #queue = new WriteQueue();
  readonly #mutex = new Mutex();
  readonly #closing = new AbortController();
  #file: OpenFile | undefined;
  #full = false;
  #committing: Promise<void> | undefined;
  #failure: JournalFailed | undefined;

  constructor(files: FileSystem, state: JournalState, settings: WriterSettings, hooks: WriterHooks) {
    this.#files = files;
    this.#state = state;
    this.#settings = settings;
    this.#hooks = hooks;
  }

  /** How many crossings wait to be written. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves when the crossings are durable. Rejects with JournalFailed, and from then on always. */
  append(crossings: readonly NewCrossing[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (crossings.length === 0) return Promise.resolve();
    const durable = this.#queue.add(crossings);
    this.#committing ??= this.#commit();
    return durable;
  }

  /**
   * Runs `work` between two writes, while no file is open; crossings that are appended meanwhile wait in memory.
   * Rejects as `work` does, and with JournalFailed after the journal has failed.
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(async () => {
      if (this.#failure) throw this.#failure;
      await this.#closeFile();
      return work();
    });
  }

  /** Ends all writing, because the content of the disk is unknown. Pending appends reject with JournalFailed. */
  fail(cause: unknown): void {
    this.#failure ??= new JournalFailed(cause);
    this.#queue.fail(this.#failure);
  }

  /** Finishes the current write, unless there is no room, and closes the file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#committing;
    await this.#mutex.runExclusive(() => this.#closeFile());
    this.#failure ??= new JournalFailed('it was closed');
  }

  async #closeFile(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #commit(): Promise<void> {
    while (this.#queue.length > 0) {
      try {
        await this.#mutex.runExclusive(() => this.#writeNext());
      } catch (error) {
        const cause = asNoRoom(error);
        if (!(cause instanceof NoRoom) || this.#closing.signal.aborted) this.fail(cause);
        else await this.#waitForRoom(cause);
      }
    }
    this.#committing = undefined;
  }

  async #waitForRoom(missing: NoRoom): Promise<void> {
    if (!this.#full) this.#hooks.onRoom(missing);
    this.#full = true;
    await this.#hooks.makeRoom();
    await pause(this.#settings.retryEvery, this.#closing.signal);
  }

  /** Makes as many crossings durable as one segment takes. */
  async #writeNext(): Promise<void> {
    if (this.#failure) return;
    const { file, segment } = await this.#segmentWithRoom();
    const crossings = this.#queue.first(this.#settings.recordsPerSegment - segment.count);
    const lastAt = crossings.at(-1)?.at ?? segment.lastAt;
    const first = this.#state.recorded + 1;
    const seed = checksumSeed(this.#state.journal);
    const bytes = Buffer.allocUnsafe(crossings.length * recordSize);
    for (const [index, crossing] of crossings.entries()) {
      const record = { ...defaults, ...crossing, sequence: first + index };
      writeRecord(bytes, index * recordSize, record, seed);
    }
    await file.write(bytes, positionOf(segment, first));
    await file.sync();
    const grown = { ...segment, count: segment.count + crossings.length, lastAt };
    this.#state.recorded += crossings.length;
    this.#state.recordedAt = lastAt;
    this.#state.segments = [...this.#state.segments.slice(0, -1), grown];
    noteInstants(this.#state, crossings);
    if (this.#full) this.#hooks.onRoom(undefined);
    this.#full = false;
    this.#queue.taken(crossings.length);
    this.#hooks.onDurable();
  }

  async #segmentWithRoom(): Promise<{ file: OpenFile; segment: Segment }> {
    const { directory, segments } = this.#state;
    const last = segments.at(-1);
    if (!last || last.sealed || last.count >= this.#settings.recordsPerSegment) return this.#newSegment();
    // Of a record that is not settled, its segment tells the boot.
    if (last.boot !== this.#state.boot && this.#queue.hasUnsettled) return this.#newSegment();
    this.#file ??= await this.#files.open(join(directory, last.name));
    return { file: this.#file, segment: last };
  }

  async #newSegment(): Promise<{ file: OpenFile; segment: Segment }> {
    const { journal, directory, recorded, recordedAt, boot } = this.#state;
    const size = headerSize + this.#settings.recordsPerSegment * recordSize;
    while (bytesOf(this.#state.segments) + size > this.#settings.limit)
      if (!(await this.#hooks.makeRoom())) throw new NoRoom('limit');
    await this.#closeFile();
    const first = recorded + 1;
    const header = { journal, first, lastAt: recordedAt, boot };
    const file = await createSegment(this.#files, directory, header);
    const segment = { name: segmentName(first), first, count: 0, lastAt: recordedAt, boot };
    this.#file = file;
    // An empty one of another boot begins at the same sequence and has been replaced.
    this.#state.segments = [...this.#state.segments.filter((other) => other.first !== first), segment];
    return { file, segment };
  }
}
