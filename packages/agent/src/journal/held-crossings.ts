import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { Mutex } from '../async/concurrency.ts';
import type { JournalPosition } from './journal-position.ts';
import type { JournalState } from './journal-state.ts';
import type { JournalWriter } from './journal-writer.ts';
import { newJournalId } from './segment-format.ts';

/**
 * A journal in memory for crossings that cannot be written to the disk: a power cut loses the unacknowledged ones.
 *
 * Invariants: a crossing is in this journal or in the durable one, never in both, or it would be counted twice. Its id
 * is random and never stored, so no later crossing gets one of its sequences. A crossing gets its sequence when it is read
 * to be sent; until then it may still be written to the disk.
 */
export class VolatileJournal {
  readonly id = newJournalId();
  readonly #state: JournalState;
  readonly #writer: JournalWriter;
  readonly #mutex = new Mutex();
  #recorded = 0;
  #acknowledged = 0;
  #acknowledgedAt = 0;
  /** The unacknowledged ones; the first one follows `#acknowledged`. */
  #crossings: readonly NumberedCrossing[] = [];

  constructor(state: JournalState, writer: JournalWriter) {
    this.#state = state;
    this.#writer = writer;
  }

  /** The last sequence in use. */
  get recorded(): number {
    return this.#recorded;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get acknowledgedAt(): number {
    return this.#acknowledgedAt;
  }

  /** How many of its crossings are not acknowledged. */
  get unacknowledged(): number {
    return this.#recorded - this.#acknowledged;
  }

  /** How many crossings are only in memory, in this journal or not yet in it, and cannot be written now. */
  get heldWithoutDisk(): number {
    return this.unacknowledged + (this.#writer.isHolding ? this.#writer.unwritten : 0);
  }

  /** At most `max` crossings with consecutive sequences, the first of them `from`. */
  read(from: number, max: number): Promise<readonly NumberedCrossing[]> {
    return this.#mutex.runExclusive(async () => {
      if (from > this.#recorded) await this.#record(max);
      const index = from - this.#acknowledged - 1;
      return index < 0 ? [] : this.#crossings.slice(index, index + max);
    });
  }

  lostAt(): undefined {}

  acknowledge(through: number, at: number): void {
    if (through <= this.#acknowledged) return;
    this.#crossings = this.#crossings.slice(through - this.#acknowledged);
    this.#acknowledged = through;
    this.#acknowledgedAt = at;
    this.#state.changes.storage.call();
  }

  async #record(max: number): Promise<void> {
    const { bootTime, deliverHeld } = this.#state.settings;
    if (!deliverHeld) return;
    await this.#writer.take(max, this.#recorded + 1, bootTime(), (taken) => {
      this.#recorded += taken.length;
      this.#crossings = [...this.#crossings, ...taken];
    });
  }
}

/** Crossings that are delivered within this time are not counted in the note (ms): each write wears the card. */
const noteAfter = 250;
/** The pause after a note that could not be stored (ms). */
const retryAfter = 60_000;

/**
 * A durable note of how many crossings are only in memory. It overwrites an existing file, which is possible on a full
 * disk. After a power cut the next start declares these crossings lost: otherwise nothing would show that they are
 * missing. The note may be up to `noteAfter` late: then some delivered crossings are declared lost, too.
 */
export class HeldNote {
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  readonly #volatile: VolatileJournal;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(state: JournalState, position: JournalPosition, volatile: VolatileJournal) {
    this.#state = state;
    this.#position = position;
    this.#volatile = volatile;
    const { durable, storage } = state.changes;
    for (const changes of [durable, storage]) changes.add(() => this.#update());
  }

  /** Stores the note now if it is wrong, because another process may use the folder later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#store();
  }

  #update(): void {
    if (this.#timer === undefined && this.#isWrong()) this.#schedule(noteAfter);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      const isStored = await this.#store();
      this.#timer = undefined;
      if (isStored) this.#update();
      else this.#schedule(retryAfter);
    }, ms).unref();
  }

  /** Stores the note if it is wrong; resolves with whether it is right now. */
  async #store(): Promise<boolean> {
    if (!this.#isWrong()) return true;
    try {
      await this.#position.storeCounted(this.#counted);
      return true;
    } catch (error) {
      this.#state.settings.onProblem(error);
      return false;
    }
  }

  /** A note up to the last durable sequence has no meaning. */
  #isWrong(): boolean {
    const { counted } = this.#position;
    return this.#held > 0 ? counted !== this.#counted : counted > this.#counted;
  }

  get #counted(): number {
    return this.#state.recorded + this.#held;
  }

  /** How many crossings are only in memory, to be delivered from there. */
  get #held(): number {
    return this.#state.settings.deliverHeld ? this.#volatile.heldWithoutDisk : 0;
  }
}
