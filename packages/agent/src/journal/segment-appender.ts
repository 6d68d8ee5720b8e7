import { join } from 'node:path';
import { instantsIn, joinedInstants } from './boot-times.ts';
import { type OpenFile, withFile, writeDurably } from './file-system.ts';
import type { JournalCleaner } from './journal-cleaner.ts';
import { isDiskFull, NotStored } from './journal-errors.ts';
import type { JournalReserve } from './journal-reserve.ts';
import type { JournalState } from './journal-state.ts';
import {
  bytesOf,
  encodeHeader,
  encodeRecords,
  endOf,
  headerSize,
  positionOf,
  recordSize,
  type Segment,
  segmentName,
  type UnwrittenCrossing,
} from './segment-format.ts';

/**
 * Appends records to the last segment, and begins new ones.
 *
 * Invariant: `state.recorded` counts only what an fdatasync has covered. After a failed write or fdatasync it is unknown
 * what is on the disk: those crossings are `doubtful`, and nothing more is appended before they are cut off durably. After
 * a failed fdatasync the kernel may have dropped pages of the file while a repeated one succeeds, so that file is not
 * written any more, and the next segment begins; the same if the file cannot be opened.
 *
 * On a full disk the reserve is used before acknowledged crossings are freed: after the restore of a backup the server may
 * need these again.
 */
export class SegmentAppender {
  readonly #state: JournalState;
  readonly #reserve: JournalReserve;
  readonly #cleaner: JournalCleaner;
  #hasTail = false;
  #doubtful = 0;
  #isSuspect = false;

  constructor(state: JournalState, reserve: JournalReserve, cleaner: JournalCleaner) {
    this.#state = state;
    this.#reserve = reserve;
    this.#cleaner = cleaner;
  }

  /** How many crossings of the last failed call may be on the disk. */
  get doubtful(): number {
    return this.#doubtful;
  }

  /**
   * Writes the last segment again, into a new file, if another process of this boot has written it; before this, nothing may
   * be appended or sent from it. That process may have ended after a failed fdatasync. Then its records can be read and
   * another fdatasync succeeds, although they are not on the disk: if they were sent, a power cut would make the unit use
   * their sequences again. After a reboot the records come from the disk itself. Rejects with the system's error.
   */
  async storeEnd(): Promise<void> {
    const { segments, unsyncedEnd, changes } = this.#state;
    const last = segments.at(-1);
    if (unsyncedEnd === undefined || !last) return;
    try {
      await createSegment(this.#state, last, unsyncedEnd);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (!(await this.#reserve.begin(last, unsyncedEnd))) {
        if (!(await this.#cleaner.makeRoom())) throw error;
        return this.storeEnd();
      }
    }
    await this.#assertWritable();
    this.#state.unsyncedEnd = undefined;
    changes.durable.call();
  }

  /**
   * Makes as many crossings durable as fit into one segment; resolves with their number. Rejects with the system's
   * error.
   */
  async append(crossings: readonly UnwrittenCrossing[]): Promise<number> {
    await this.#assertWritable();
    await this.cutTail();
    try {
      return await this.#write(await this.#segmentWithRoom(), crossings);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await this.cutTail();
      if (!(await this.#beginInReserve()) && !(await this.#cleaner.makeRoom())) throw error;
      return this.append(crossings);
    }
  }

  /** Removes durably the bytes that a failed write may have left after the last record. Rejects with the system's error. */
  async cutTail(): Promise<void> {
    const last = this.#state.segments.at(-1);
    if (this.#hasTail && last) {
      await withFile(this.#openFile(last), async (file) => {
        await file.truncate(positionOf(last, endOf(last) + 1));
        await file.sync();
      });
      await this.#assertWritable();
    }
    this.#hasTail = false;
    this.#doubtful = 0;
  }

  async #write(segment: Segment, crossings: readonly UnwrittenCrossing[]): Promise<number> {
    const state = this.#state;
    const some = crossings.slice(0, state.settings.recordsPerSegment - segment.count);
    const first = state.recorded + 1;
    try {
      await withFile(this.#openFile(segment), async (file) => {
        this.#hasTail = true;
        this.#doubtful = some.length;
        await file.write(encodeRecords(some, first, state.journal), positionOf(segment, first));
        await file.sync();
      });
      /* ext4 answers fdatasync with success on a file system that has become read-only, and writes nothing. */
      await this.#assertWritable();
    } catch (error) {
      this.#isSuspect ||= !isDiskFull(error);
      throw error;
    }
    this.#hasTail = false;
    this.#doubtful = 0;
    const lastAt = some.at(-1)?.at ?? segment.lastAt;
    state.recorded += some.length;
    state.recordedAt = lastAt;
    this.#setLast({ ...segment, count: segment.count + some.length, lastAt });
    Object.assign(state, joinedInstants(state, instantsIn(some, state.settings.boot), state.clocks));
    return some.length;
  }

  async #segmentWithRoom(): Promise<Segment> {
    const { segments, settings } = this.#state;
    const last = segments.at(-1);
    if (!last || last.sealed || this.#isSuspect || last.count >= settings.recordsPerSegment)
      return this.#newSegment();
    /* All records belong to the boot in the header of their segment. */
    return last.boot === settings.boot ? last : this.#newSegment();
  }

  async #newSegment(): Promise<Segment> {
    const { limit, recordsPerSegment } = this.#state.settings;
    const size = headerSize + recordsPerSegment * recordSize;
    while (bytesOf(this.#state.segments) + size > limit)
      if (!(await this.#cleaner.makeRoom())) throw new NotStored('limit');
    const segment = nextSegment(this.#state);
    await createSegment(this.#state, segment);
    return this.#begun(segment);
  }

  /** Begins a segment in space that is reserved; resolves with false if there is none. */
  async #beginInReserve(): Promise<boolean> {
    const segment = nextSegment(this.#state);
    if (!(await this.#reserve.begin(segment))) return false;
    this.#begun(segment);
    return true;
  }

  #begun(segment: Segment): Segment {
    this.#isSuspect = false;
    this.#setLast(segment);
    return segment;
  }

  /** Its file has replaced one with the same first sequence, if there was one. */
  #setLast(segment: Segment): void {
    const others = this.#state.segments.filter(({ first }) => first !== segment.first);
    this.#state.segments = [...others, segment];
  }

  #openFile(segment: Segment): Promise<OpenFile> {
    return this.#state.settings.files.open(join(this.#state.directory, segmentName(segment)));
  }

  #assertWritable(): Promise<void> {
    return this.#state.settings.files.assertWritable(this.#state.directory);
  }
}

/** The empty segment that follows the last crossing. */
function nextSegment({ recorded, recordedAt, settings }: JournalState): Segment {
  return { first: recorded + 1, count: 0, lastAt: recordedAt, boot: settings.boot };
}

/**
 * Creates a segment of a journal with these records. It appears under its name only when all of it is durable: a cut at any
 * moment leaves either the folder as it was, or a good segment.
 */
export function createSegment(
  { directory, settings, journal }: Pick<JournalState, 'directory' | 'settings' | 'journal'>,
  segment: Segment,
  records: Buffer = Buffer.alloc(0),
): Promise<void> {
  const path = join(directory, segmentName(segment));
  return writeDurably(settings.files, path, Buffer.concat([encodeHeader(journal, segment), records]));
}
