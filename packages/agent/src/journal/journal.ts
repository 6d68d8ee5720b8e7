import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';
import { Listeners } from '../async/listeners.ts';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { beginWhenAcknowledged } from './begin-journal.ts';
import { storeBootTimes } from './boot-instants.ts';
import { HeldNote } from './held-note.ts';
import { JournalCleaner } from './journal-cleaner.ts';
import type { JournalFolder } from './journal-folder.ts';
import type { JournalOptions } from './journal-options.ts';
import type { JournalPosition } from './journal-position.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalReserve } from './journal-reserve.ts';
import type { JournalState } from './journal-state.ts';
import { JournalWriter } from './journal-writer.ts';
import type { LostRange } from './lost-ranges.ts';
import type { NewCrossing } from './record-codec.ts';
import type { Recovered } from './recover-journal.ts';
import { SegmentAppender } from './segment-appender.ts';
import { VolatileJournal } from './volatile-journal.ts';

export interface JournalParts extends Required<Omit<JournalOptions, 'reserve'>> {
  readonly directory: string;
  readonly folder: JournalFolder;
  readonly position: JournalPosition;
  readonly reserve: JournalReserve;
}

/** The unit's durable log of crossings, numbered 1, 2, 3, … without gaps. See `openJournal`. */
export class Journal {
  /** Files that could not be read at all; they stay in the folder under the name `*.damaged`. */
  readonly setAside: readonly string[];
  /** Delivers the crossings that are held in memory. */
  readonly volatile: VolatileJournal;
  readonly #parts: JournalParts;
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  readonly #cleaner: JournalCleaner;
  readonly #reader: JournalReader;
  readonly #writer: JournalWriter;
  readonly #note: HeldNote;
  readonly #begun = new Listeners();
  readonly #closing = new AbortController();

  constructor({ setAside, ...recovered }: Recovered, parts: JournalParts) {
    const { files, directory, boot, folder, position } = parts;
    this.setAside = setAside;
    this.#parts = parts;
    this.#position = position;
    const state: JournalState = { ...recovered, directory, boot };
    this.#state = state;
    this.#cleaner = new JournalCleaner(files, state, position, parts);
    this.#reader = new JournalReader(files, state, position, parts);
    const makeRoom = () => this.#cleaner.makeRoom();
    const appender = new SegmentAppender({ ...parts, state, makeRoom }, folder.problem !== undefined);
    this.#writer = new JournalWriter({ ...parts, appender });
    this.volatile = new VolatileJournal({ ...parts, writer: this.#writer });
    this.#note = new HeldNote({ ...parts, state, writer: this.#writer, volatile: this.volatile });
    if (folder.problem) this.#writer.report(folder.problem);
    else this.#writer.checkSoon();
  }

  /** Random; 32 hexadecimal digits. Another one after `beginNew`. */
  get id(): string {
    return this.#state.journal;
  }

  /** The last durable sequence; 0 when there is none. */
  get recorded(): number {
    return this.#state.recorded;
  }

  /** The instant of the last durable crossing (epoch ms); 0 when there is none. */
  get recordedAt(): number {
    return this.#state.recordedAt;
  }

  /** The last sequence that the server has acknowledged; 0 when there is none. */
  get acknowledged(): number {
    return this.#position.through;
  }

  /** The instant of the last acknowledged crossing (epoch ms); 0 when there is none. */
  get acknowledgedAt(): number {
    return this.#position.at;
  }

  /** Sequences that are permanently declared lost because the disk could not read them. */
  get lost(): readonly LostRange[] {
    return this.#position.lost;
  }

  /** The range of `lost` that contains a sequence. */
  lostAt(sequence: number): LostRange | undefined {
    return this.#position.lostAt(sequence);
  }

  /** Why the disk cannot be written, or is short of room; undefined without a problem. */
  get storageProblem(): StorageProblem | undefined {
    return this.#writer.problem?.problem;
  }

  /** The same in words. */
  get storageProblemText(): string | undefined {
    return this.#writer.problem?.message;
  }

  /** Whether new crossings are held in memory because the disk cannot be written. */
  get isHolding(): boolean {
    return this.#writer.isHolding;
  }

  /** How many crossings in memory have not been written yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  /** How many unacknowledged crossings are only in memory: a power cut loses them. */
  get held(): number {
    return this.#writer.waiting + this.volatile.unacknowledged;
  }

  /**
   * Resolves when the crossings are durable, or sent from memory while the disk cannot be written. Rejects with
   * JournalFailed, and from then on always.
   */
  append(crossings: readonly NewCrossing[]): Promise<void> {
    return this.#writer.append(crossings);
  }

  /** Boots with crossings whose instants are not known yet, in order. */
  get unsettled(): readonly UnsettledBoot[] {
    return this.#state.unsettled;
  }

  /** Stores when these boots began, durably and once; then their crossings can be read. */
  async storeBootTimes(boots: readonly SettledBoot[]): Promise<void> {
    await storeBootTimes(this.#parts.files, this.#state, boots);
    this.#writer.durable.call();
  }

  /**
   * Returns at most `max` durable crossings with consecutive sequences. They begin with the first crossing from `from`
   * on that is neither declared lost nor freed. A crossing without a known instant delays all later ones. So does an
   * unreadable one until it is declared lost; rejects if that cannot be stored.
   */
  read(from: number, max: number): Promise<NumberedCrossing[]> {
    return this.#reader.read(from, max);
  }

  /** The server has stored everything through this sequence, whose crossing is at `at` (epoch ms). */
  acknowledge(through: number, at: number): void {
    this.#position.acknowledge(through, at);
  }

  /**
   * Ends the journal with the id `ended` as soon as everything recorded is acknowledged, and begins another one, whose
   * sequences start at 1; does nothing if this journal has another id. Crossings that are appended during the change
   * belong to the new journal. After a crash at any moment one of the two journals is there, complete. Rejects when
   * `signal` aborts, or when the new journal cannot be written; then the old one continues.
   */
  beginNew(ended: string, signal: AbortSignal): Promise<void> {
    const parts = {
      ...{ files: this.#parts.files, state: this.#state, position: this.#position },
      ...{ writer: this.#writer, reader: this.#reader, begun: this.#begun },
    };
    return beginWhenAcknowledged(parts, ended, AbortSignal.any([signal, this.#closing.signal]));
  }

  /** Calls `listener` when a new journal has begun; returns the function that removes it. */
  onBegun(listener: () => void): () => void {
    return this.#begun.add(listener);
  }

  /** Calls `listener` when there may be more to read; returns the function that removes it. */
  onDurable(listener: () => void): () => void {
    return this.#writer.durable.add(listener);
  }

  /** Calls `listener` when more is declared lost; returns the function that removes it. */
  onLost(listener: () => void): () => void {
    return this.#position.onLost(listener);
  }

  /** Calls `listener` when the storage problem changes, or more is held in memory; returns the function that removes it. */
  onStorage(listener: () => void): () => void {
    return this.#writer.storage.add(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#note.close();
    await this.#reader.close();
    await this.#writer.close();
    await this.#cleaner.close();
    await this.#parts.folder.release();
  }
}
