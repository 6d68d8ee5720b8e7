import { join } from 'node:path';
import { noteInstants } from './boot-instants.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { isDiskFull, NotStored } from './journal-errors.ts';
import type { JournalReserve } from './journal-reserve.ts';
import type { JournalState } from './journal-state.ts';
import { checksumSeed, type NewCrossing, noMoment, recordSize, writeRecord } from './record-codec.ts';
import { bytesOf, createSegment, endOf, positionOf, type Segment, segmentName } from './segment.ts';
import { headerSize } from './segment-header.ts';

export interface AppenderSettings {
  readonly recordsPerSegment: number;
  /** The most bytes in all segments. */
  readonly limit: number;
}

export interface AppenderParts extends AppenderSettings {
  readonly files: FileSystem;
  readonly state: JournalState;
  readonly reserve: JournalReserve;
  /** Frees the oldest acknowledged crossings; resolves with whether there were any. */
  readonly makeRoom: () => Promise<boolean>;
}

const defaults = { uncertainty: 0, moment: noMoment, settled: true };

/**
 * Appends records to the last segment, and begins new ones.
 *
 * Invariant: `state.recorded` counts only what an fdatasync has covered. After a failed write or fdatasync it is unknown
 * what is on the disk: those crossings are `doubtful`, and nothing more is appended before they are cut off durably. After
 * a failed fdatasync the kernel may have dropped pages of the file while a repeated one succeeds, so that file is not
 * written any more: the next segment begins.
 */
export class SegmentAppender {
  readonly #parts: AppenderParts;
  #file: OpenFile | undefined;
  #hasTail: boolean;
  #doubtful = 0;
  #isSuspect = false;

  /** `hasTail`: whether something may follow the last record of the last segment. */
  constructor(parts: AppenderParts, hasTail: boolean) {
    this.#parts = parts;
    this.#hasTail = hasTail;
  }

  /** How many crossings of the last failed call may be on the disk. */
  get doubtful(): number {
    return this.#doubtful;
  }

  /**
   * Makes as many crossings durable as fit into one segment; resolves with their number. Rejects with the system's
   * error.
   */
  async append(crossings: readonly NewCrossing[]): Promise<number> {
    const { files, state } = this.#parts;
    await files.assertWritable(state.directory);
    await this.cutTail();
    const isUnsettled = crossings.some(({ settled }) => settled === false);
    try {
      return await this.#write(await this.#segmentWithRoom(isUnsettled), crossings);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await this.cutTail();
      if (!(await this.#parts.makeRoom())) await this.#beginInReserve(error);
      return this.append(crossings);
    }
  }

  /** Removes durably the bytes that a failed write may have left after the last record. Rejects with the system's error. */
  async cutTail(): Promise<void> {
    const { files, state } = this.#parts;
    const last = state.segments.at(-1);
    if (this.#hasTail && last && !last.sealed) {
      await this.closeFile();
      const file = await files.open(join(state.directory, last.name));
      try {
        const end = positionOf(last, endOf(last) + 1);
        if ((await file.size()) > end) await file.truncate(end);
        await file.sync();
      } finally {
        await file.close();
      }
      await files.assertWritable(state.directory);
    }
    this.#hasTail = false;
    this.#doubtful = 0;
  }

  async closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #write({ file, segment }: OpenSegment, crossings: readonly NewCrossing[]): Promise<number> {
    const { files, state, recordsPerSegment } = this.#parts;
    const some = crossings.slice(0, recordsPerSegment - segment.count);
    const first = state.recorded + 1;
    try {
      this.#hasTail = true;
      this.#doubtful = some.length;
      await file.write(encoded(some, first, state.journal), positionOf(segment, first));
      await file.sync();
      // ext4 answers fdatasync with success on a file system that has become read-only, and writes nothing.
      await files.assertWritable(state.directory);
    } catch (error) {
      this.#isSuspect ||= !isDiskFull(error);
      await this.closeFile().catch(() => {});
      throw error;
    }
    this.#hasTail = false;
    this.#doubtful = 0;
    const lastAt = some.at(-1)?.at ?? segment.lastAt;
    state.recorded += some.length;
    state.recordedAt = lastAt;
    state.segments = [
      ...state.segments.slice(0, -1),
      { ...segment, count: segment.count + some.length, lastAt },
    ];
    noteInstants(state, some);
    return some.length;
  }

  async #segmentWithRoom(isUnsettled: boolean): Promise<OpenSegment> {
    const { files, state, recordsPerSegment } = this.#parts;
    const last = state.segments.at(-1);
    if (!last || last.sealed || this.#isSuspect || last.count >= recordsPerSegment) return this.#newSegment();
    // A record without a known instant belongs to the boot in the header of its segment.
    if (last.boot !== state.boot && isUnsettled) return this.#newSegment();
    this.#file ??= await files.open(join(state.directory, last.name));
    return { file: this.#file, segment: last };
  }

  async #newSegment(): Promise<OpenSegment> {
    const { files, state, makeRoom, limit, recordsPerSegment } = this.#parts;
    const size = headerSize + recordsPerSegment * recordSize;
    while (bytesOf(state.segments) + size > limit) if (!(await makeRoom())) throw new NotStored('limit');
    await this.closeFile();
    return this.#begun(await createSegment(files, state.directory, this.#header()));
  }

  /** Begins a segment in space that is reserved. Rejects with `full` if there is none. */
  async #beginInReserve(full: unknown): Promise<void> {
    const file = await this.#parts.reserve.begin(this.#header());
    if (!file) throw full;
    await this.closeFile();
    this.#begun(file);
  }

  #header() {
    const { journal, recorded, recordedAt, boot } = this.#parts.state;
    return { journal, first: recorded + 1, lastAt: recordedAt, boot };
  }

  #begun(file: OpenFile): OpenSegment {
    const { state } = this.#parts;
    const { first, lastAt, boot } = this.#header();
    const segment = { name: segmentName(first), first, count: 0, lastAt, boot };
    this.#file = file;
    this.#isSuspect = false;
    // The new file has replaced an empty segment of another boot with the same first sequence.
    state.segments = [...state.segments.filter((other) => other.first !== first), segment];
    return { file, segment };
  }
}

interface OpenSegment {
  readonly file: OpenFile;
  readonly segment: Segment;
}

function encoded(crossings: readonly NewCrossing[], first: number, journal: string): Buffer {
  const seed = checksumSeed(journal);
  const bytes = Buffer.allocUnsafe(crossings.length * recordSize);
  for (const [index, crossing] of crossings.entries()) {
    const record = { ...defaults, ...crossing, sequence: first + index };
    writeRecord(bytes, index * recordSize, record, seed);
  }
  return bytes;
}
