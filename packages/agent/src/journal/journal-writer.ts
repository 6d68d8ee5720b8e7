import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { BackOff } from '@visitor-counter/service/back-off';
import { Mutex } from '../async/concurrency.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import { AppendQueue } from './append-queue.ts';
import { datedCrossing } from './boot-times.ts';
import { asNotStored, JournalFailed, type NotStored } from './journal-errors.ts';
import type { JournalReserve } from './journal-reserve.ts';
import type { JournalState } from './journal-state.ts';
import type { SegmentAppender } from './segment-appender.ts';
import type { NewCrossing } from './segment-format.ts';

/** The longest pause between two attempts, as a multiple of the first. */
const longestRetry = 12;

/**
 * Appends with group commit: all crossings that arrive during one fdatasync share the next. While the disk cannot be
 * written, crossings are held in memory, from where the volatile journal may remove and deliver them, and writing is
 * retried.
 *
 * Invariant: the volatile journal gets no crossing that may be on the disk, or it would be counted twice.
 */
export class JournalWriter {
  readonly #state: JournalState;
  readonly #appender: SegmentAppender;
  readonly #reserve: JournalReserve;
  /** Until they are written to the disk or moved to the volatile journal. */
  readonly #queue = new AppendQueue();
  readonly #mutex = new Mutex();
  readonly #closing = new AbortController();
  #waking = new AbortController();
  /** The last write failed: crossings are held in memory. */
  #isHolding = false;
  #problem: NotStored | undefined;
  #working: Promise<void> | undefined;
  #failure: JournalFailed | undefined;

  constructor(state: JournalState, appender: SegmentAppender, reserve: JournalReserve) {
    this.#state = state;
    this.#appender = appender;
    this.#reserve = reserve;
  }

  /** How many crossings in memory have not been written yet. */
  get unwritten(): number {
    return this.#queue.length;
  }

  /** Whether new crossings are held in memory. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Why the disk cannot be written, or is short of room; undefined without a problem. */
  get problem(): NotStored | undefined {
    return this.#problem;
  }

  /**
   * Resolves when the crossings are durable, or in the volatile journal. Rejects with JournalFailed once the journal
   * has failed.
   */
  append(crossings: readonly NewCrossing[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (crossings.length === 0) return Promise.resolve();
    const appended = this.#queue.add(crossings);
    this.#working ??= this.#work();
    if (this.#isHolding) this.#state.changes.storage.call();
    else this.#waking.abort();
    return appended;
  }

  /**
   * Tries to make the end of the journal durable, then checks whether the disk has room, before the first crossing. If the
   * disk cannot be written, tries again until it can.
   */
  async start(): Promise<void> {
    try {
      if (this.#state.folder.problem) throw this.#state.folder.problem;
      await this.#appender.storeEnd();
    } catch (error) {
      await this.#hold(error);
      this.#working ??= this.#work();
      return;
    }
    void this.#mutex
      .runExclusive(() => this.#checkRoom(true))
      .then((found) => {
        if (found) this.#working ??= this.#work();
      });
  }

  /**
   * Moves crossings that are held in memory and are certainly not on the disk to `receive`, with sequences from `first` on:
   * at most `most`, in order, up to the first one whose instant is not known. `begun` is the time of this boot. Each is in
   * one place at any moment, so that they can be counted.
   */
  take(
    most: number,
    first: number,
    begun: BootTime | undefined,
    receive: (taken: readonly NumberedCrossing[]) => void,
  ): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const taken: NumberedCrossing[] = [];
      const { doubtful } = this.#appender;
      for (const crossing of this.#isHolding ? this.#queue.peek(doubtful, most) : []) {
        const dated = datedCrossing({ ...crossing, sequence: first + taken.length }, begun);
        if (!dated) break;
        taken.push(dated);
      }
      this.#queue.remove(doubtful, taken.length);
      receive(taken);
    });
  }

  /**
   * Runs `work` between two writes; crossings that are appended meanwhile stay in memory. Rejects as `work` does, with
   * JournalFailed if the journal has failed, and with NotStored while the disk cannot be written.
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(async () => {
      if (this.#failure) throw this.#failure;
      if (this.#isHolding && this.#problem) throw this.#problem;
      return work();
    });
  }

  /** Writes nothing more: the contents of the disk are unknown. Crossings in memory are rejected with JournalFailed. */
  fail(cause: unknown): void {
    this.#failure ??= cause instanceof JournalFailed ? cause : new JournalFailed(cause);
    this.#queue.fail(this.#failure);
  }

  /** Writes the crossings in memory, unless the disk cannot be written. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
    await this.#mutex.runExclusive(async () => {});
    this.#failure ??= new JournalFailed('it was closed');
  }

  /** Writes until nothing is left and the disk has no problem. */
  async #work(): Promise<void> {
    const { retryEvery, pause } = this.#state.settings;
    const backOff = new BackOff({ first: retryEvery, longest: longestRetry * retryEvery });
    while (!this.#failure && (this.#queue.length > 0 || this.#problem)) {
      if (this.#queue.length === 0 || this.#isHolding) {
        this.#waking = new AbortController();
        await pause(backOff.next(), AbortSignal.any([this.#closing.signal, this.#waking.signal]));
      }
      const isClosing = this.#closing.signal.aborted;
      if (isClosing && this.#queue.length === 0) break;
      const problem = await this.#mutex.runExclusive(() => this.#tryOnce());
      if (!problem) backOff.reset();
      /* A disk that is short of room may still have enough for the rest. */
      if (problem && isClosing && this.#isHolding) this.fail(problem);
    }
    this.#working = undefined;
  }

  /** Writes some of the queue, and checks whether the problem is solved; resolves with the remaining problem. */
  async #tryOnce(): Promise<NotStored | undefined> {
    const hasWritten = this.#queue.length > 0;
    try {
      if (this.#isHolding) await this.#state.folder.prepare();
      await this.#appender.storeEnd();
      if (hasWritten) await this.#writeSome();
    } catch (error) {
      return this.#hold(error);
    }
    return this.#checkRoom(hasWritten);
  }

  async #writeSome(): Promise<void> {
    /* One at a time while writing fails: then fewer crossings are in doubt. */
    const some = this.#queue.peek(0, this.#isHolding ? 1 : this.#queue.length);
    this.#queue.remove(0, await this.#appender.append(some));
    this.#isHolding = false;
    this.#state.changes.durable.call();
  }

  async #checkRoom(hasWritten: boolean): Promise<NotStored | undefined> {
    try {
      await this.#reserve.checkRoom(hasWritten);
      this.#isHolding = false;
      this.#setProblem(undefined);
    } catch (error) {
      this.#setProblem(asNotStored(error));
    }
    return this.#problem;
  }

  async #hold(error: unknown): Promise<NotStored> {
    if (error instanceof JournalFailed) this.fail(error);
    else await this.#appender.cutTail().catch(() => {});
    const problem = asNotStored(error);
    this.#isHolding = true;
    this.#setProblem(problem);
    return problem;
  }

  #setProblem(problem: NotStored | undefined): void {
    const isChanged = this.#problem?.problem !== problem?.problem || (problem && this.#queue.length > 0);
    this.#problem = problem;
    if (isChanged) this.#state.changes.storage.call();
  }
}
