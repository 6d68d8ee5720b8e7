import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { beginWhenAcknowledged } from './begin-journal.ts';
import { type DatedBoot, storeBootTimes, type UndatedBoot } from './boot-times.ts';
import { HeldNote, VolatileJournal } from './held-crossings.ts';
import { JournalCleaner } from './journal-cleaner.ts';
import type { NotStored } from './journal-errors.ts';
import type { JournalPosition } from './journal-position.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalReserve } from './journal-reserve.ts';
import type { JournalChanges, JournalState } from './journal-state.ts';
import { JournalWriter } from './journal-writer.ts';
import type { LostRange } from './lost-ranges.ts';
import type { Recovered } from './recover-journal.ts';
import { SegmentAppender } from './segment-appender.ts';
import type { NewCrossing } from './segment-format.ts';

/** The unit's durable log of crossings, numbered 1, 2, 3, … without gaps. See `openJournal`. */
export class Journal {
  /** Files without any valid record; they stay in the folder under the name `*.damaged`. */
  readonly setAside: readonly string[];
  /** Which of the two files of boot times are damaged: see `readBootTimes`. */
  readonly damagedClocks: readonly string[];
  /** Delivers the crossings that are held in memory. */
  readonly volatile: VolatileJournal;
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  readonly #cleaner: JournalCleaner;
  readonly #reader: JournalReader;
  readonly #writer: JournalWriter;
  readonly #note: HeldNote;
  readonly #closing = new AbortController();

  constructor(
    state: JournalState,
    position: JournalPosition,
    reserve: JournalReserve,
    { setAside, bootTimes }: Pick<Recovered, 'setAside' | 'bootTimes'>,
  ) {
    this.setAside = setAside;
    this.damagedClocks = bootTimes.damaged;
    this.#state = state;
    this.#position = position;
    this.#cleaner = new JournalCleaner(state, position);
    this.#reader = new JournalReader(state, position);
    const appender = new SegmentAppender(state, reserve, this.#cleaner);
    this.#writer = new JournalWriter(state, appender, reserve);
    this.volatile = new VolatileJournal(state, this.#writer);
    this.#note = new HeldNote(state, position, this.volatile);
  }

  /** Called once, before anything else. */
  start(): Promise<void> {
    return this.#writer.start();
  }

  /** Notifies of changes; `add` returns the function that removes a listener. */
  get changes(): Omit<JournalChanges, 'acknowledged'> {
    return this.#state.changes;
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
  get storageProblem(): NotStored | undefined {
    return this.#writer.problem;
  }

  /** Whether new crossings are held in memory because the disk cannot be written. */
  get isHolding(): boolean {
    return this.#writer.isHolding;
  }

  /** How many crossings in memory have not been written yet. */
  get unwritten(): number {
    return this.#writer.unwritten;
  }

  /** How many unacknowledged crossings are only in memory: a power cut loses them. */
  get held(): number {
    return this.#writer.unwritten + this.volatile.unacknowledged;
  }

  /** How many of these the disk cannot store now. */
  get heldWithoutDisk(): number {
    return this.volatile.heldWithoutDisk;
  }

  /**
   * Resolves when the crossings are durable, or sent from memory while the disk cannot be written. Rejects with
   * JournalFailed, and from then on always.
   */
  append(crossings: readonly NewCrossing[]): Promise<void> {
    return this.#writer.append(crossings);
  }

  /** Boots with crossings whose instants are not known yet, in order. */
  get undatedBoots(): readonly UndatedBoot[] {
    return this.#state.undated;
  }

  /** Stores when these boots began, durably and once; then their crossings can be read. */
  async storeBootTimes(boots: readonly DatedBoot[]): Promise<void> {
    await storeBootTimes(this.#state, boots);
    this.#state.changes.durable.call();
  }

  /**
   * Returns at most `max` durable crossings with consecutive sequences. They begin with the first crossing from `from`
   * on that is neither declared lost nor freed. A crossing without a known instant delays all later ones. So does an
   * unreadable one until it is declared lost; rejects if that cannot be stored.
   */
  async read(from: number, max: number): Promise<readonly NumberedCrossing[]> {
    return (await this.#reader.read(from, max)) ?? [];
  }

  /** The same for crossings that should be sent again: rejects if the next one exists and cannot be returned yet. */
  async readNow(from: number, max: number): Promise<readonly NumberedCrossing[]> {
    const crossings = await this.#reader.read(from, max);
    if (!crossings) throw new Error(`crossings from ${from} on have no instant yet, or are not durable yet`);
    return crossings;
  }

  /** The server has stored everything through this sequence, whose crossing is at `at` (epoch ms). */
  acknowledge(through: number, at: number): void {
    this.#position.acknowledge(through, at);
  }

  /**
   * Ends the journal with the id `ended` as soon as everything recorded is acknowledged, and begins another one, whose
   * sequences start at 1; does nothing if this journal has another id. Crossings that are appended during the change
   * belong to the new journal. After a crash at any moment one of the two journals is there, complete. Rejects when
   * `signal` aborts, or when the new journal cannot be written: see `beginWhenAcknowledged`.
   */
  beginNew(ended: string, signal: AbortSignal): Promise<void> {
    const parts = {
      state: this.#state,
      position: this.#position,
      writer: this.#writer,
      reader: this.#reader,
    };
    return beginWhenAcknowledged(parts, ended, AbortSignal.any([signal, this.#closing.signal]));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#note.close();
    await this.#reader.close();
    await this.#writer.close();
    await this.#cleaner.clean();
    await this.#state.folder.release();
  }
}
