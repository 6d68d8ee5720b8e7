import { join } from 'node:path';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { codeOf } from '@visitor-counter/service/errors';
import { Mutex } from '../async/concurrency.ts';
import { datedCrossing } from './boot-times.ts';
import { withFile } from './file-system.ts';
import { isDiskError } from './journal-errors.ts';
import type { JournalPosition } from './journal-position.ts';
import type { JournalState } from './journal-state.ts';
import { type LostRange, mergedRanges } from './lost-ranges.ts';
import { readAround } from './read-segment.ts';
import { Retries } from './retries.ts';
import {
  checksumSeed,
  endOf,
  type JournalRecord,
  positionOf,
  readRecord,
  recordSize,
  type Segment,
  segmentName,
} from './segment-format.ts';

/** The records of consecutive sequences; undefined in place of one that is missing or damaged. */
type Records = readonly (JournalRecord | undefined)[];

/**
 * Reads durable crossings from the disk.
 *
 * Invariant: a sequence is skipped only when it is declared lost. If a record cannot be read, because the
 * disk reports an error or returns wrong bytes, reading it is retried for `rereadFor`, and no later record is
 * read meanwhile. If it stays unreadable, it is declared lost; if that cannot be stored, reading fails.
 */
export class JournalReader {
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  readonly #mutex = new Mutex();
  readonly #closing = new AbortController();

  constructor(state: JournalState, position: JournalPosition) {
    this.#state = state;
    this.#position = position;
  }

  /** As `Journal.read`, but undefined if the next crossing exists and cannot be returned yet. Calls run one after the other. */
  read(from: number, max: number): Promise<NumberedCrossing[] | undefined> {
    return this.#mutex.runExclusive(() => this.#read(from, max));
  }

  /** Runs `work` while nothing is read. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(work);
  }

  /** Ends a read that is waiting for the disk. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.exclusively(async () => {});
  }

  async #read(from: number, max: number): Promise<NumberedCrossing[] | undefined> {
    for (let next = from; next <= this.#state.recorded; ) {
      const { segments, unsyncedEnd, recorded } = this.#state;
      const segment = segments.find((one) => endOf(one) >= next);
      const lost = this.#position.lostAt(next);
      if (lost) next = lost[1] + 1;
      else if (!segment || segment.first > next) {
        await this.#declareMissing(next, (segment?.first ?? recorded + 1) - 1);
        next = segment?.first ?? recorded + 1;
      } else {
        if (unsyncedEnd !== undefined && segment === segments.at(-1)) return undefined;
        const records = await this.#readOrDeclare(segment, next, Math.min(max, endOf(segment) - next + 1));
        const crossings = this.#untilUnreadable(records, segment);
        if (crossings?.length !== 0) return crossings;
      }
    }
    return [];
  }

  /** Declares lost what no segment has, unless it is acknowledged, and therefore freed. */
  async #declareMissing(first: number, last: number): Promise<void> {
    const pending = Math.max(first, this.#position.through + 1);
    if (pending <= last) await this.#position.declareLost([[pending, last]]);
  }

  /** The crossings before the first unreadable one; undefined if the first one has no instant yet. */
  #untilUnreadable(records: Records, { boot }: Segment): NumberedCrossing[] | undefined {
    const crossings: NumberedCrossing[] = [];
    const begun = this.#state.clocks.get(boot);
    for (const record of records) {
      if (!record) break;
      const crossing = datedCrossing(record, begun);
      if (!crossing) return crossings.length > 0 ? crossings : undefined;
      crossings.push(crossing);
    }
    return crossings;
  }

  /** Reads until the first record is readable. If it stays unreadable, all unreadable ones in this part are declared lost. */
  async #readOrDeclare(segment: Segment, first: number, count: number): Promise<Records> {
    const { settings } = this.#state;
    /* The cleaner may remove a file that a resend is reading. */
    const isFreed = () => !this.#state.segments.some((other) => other.first === segment.first);
    let isReported = false;
    /* Wrong bytes, too, may be those of a disk that fails. */
    const retries = new Retries({ ...settings, recheckFor: settings.rereadFor }, this.#closing.signal);
    const { records } = await retries.until(async () => {
      const found = await this.#readRecords(segment, first, count);
      if (found[0] || isFreed()) return { records: found, isGood: true };
      const [unreadable] = unreadableIn(found, first);
      if (!isReported && unreadable) settings.onUnreadable(unreadable);
      isReported = true;
      return { records: found, isGood: false };
    });
    if (!records[0] && !isFreed()) await this.#position.declareLost(unreadableIn(records, first));
    return records;
  }

  async #readRecords(segment: Segment, first: number, count: number): Promise<Records> {
    const { directory, settings } = this.#state;
    const bytes = Buffer.alloc(count * recordSize);
    try {
      await withFile(settings.files.open(join(directory, segmentName(segment))), (file) =>
        readAround(file, bytes, positionOf(segment, first)),
      );
    } catch (error) {
      /* A file that is missing will not reappear, but the folder of a failing disk may seem to lack it. */
      if (!isDiskError(error) && codeOf(error) !== 'ENOENT') throw error;
    }
    const seed = checksumSeed(this.#state.journal);
    return Array.from({ length: count }, (_, index) =>
      readRecord(bytes, index * recordSize, first + index, seed),
    );
  }
}

function unreadableIn(records: Records, first: number): LostRange[] {
  const sequences = records.flatMap((record, index) => (record ? [] : [first + index]));
  return mergedRanges(sequences.map((sequence) => [sequence, sequence]));
}
