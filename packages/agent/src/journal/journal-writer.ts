import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';
import { Mutex } from '../async/mutex.ts';
import { pause } from '../async/pause.ts';
import { asNotStored, JournalFailed, type NotStored } from './journal-errors.ts';
import type { NewCrossing } from './record-codec.ts';
import type { SegmentAppender } from './segment-appender.ts';
import { WriteQueue } from './write-queue.ts';

export interface WriterSettings {
  /** How long until a disk that takes nothing is tried again (ms); the pause doubles up to twelve times as long. */
  readonly retryEvery: number;
}

export interface WriterHooks {
  /** Something is durable. */
  readonly onDurable: () => void;
  /** The disk takes nothing, or is short of room, or takes everything again; or crossings are held in memory. */
  readonly onStorage: () => void;
  /** Runs before the disk is tried again. Rejects with JournalFailed where only a new start helps. */
  readonly prepare: () => Promise<void>;
  /** Resolves when the disk has room for more than the next crossings; rejects with the system's error. */
  readonly checkRoom: (hasWritten: boolean) => Promise<void>;
}

/** The longest pause between two tries, as a multiple of the shortest. */
const longestPause = 12;

/**
 * Appends with group commit: whatever arrives during one fdatasync shares the next. What the disk does not take is held
 * in memory and tried again, and meanwhile the volatile journal may take it from here.
 *
 * Invariant: the volatile journal gets no crossing that may be on the disk, or it would be counted twice.
 */
export class JournalWriter {
  readonly #appender: SegmentAppender;
  readonly #settings: WriterSettings;
  readonly #hooks: WriterHooks;
  readonly #queue = new WriteQueue();
  readonly #mutex = new Mutex();
  readonly #closing = new AbortController();
  #waking = new AbortController();
  /** The last write failed: crossings are held in memory. */
  #isHolding = false;
  #problem: NotStored | undefined;
  #working: Promise<void> | undefined;
  #failure: JournalFailed | undefined;

  constructor(appender: SegmentAppender, settings: WriterSettings, hooks: WriterHooks) {
    this.#appender = appender;
    this.#settings = settings;
    this.#hooks = hooks;
  }

  /** How many crossings are in memory to be written. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether new crossings are held in memory. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Why the disk takes nothing, or little more; undefined while it does. */
  get problem(): StorageProblem | undefined {
    return this.#problem?.problem;
  }

  /** The same in words. */
  get problemText(): string | undefined {
    return this.#problem?.message;
  }

  /** Resolves when the crossings are durable, or in the volatile journal. Rejects with JournalFailed, then always. */
  append(crossings: readonly NewCrossing[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (crossings.length === 0) return Promise.resolve();
    const stored = this.#queue.add(crossings);
    this.#working ??= this.#work();
    if (this.#isHolding) this.#hooks.onStorage();
    else this.#waking.abort();
    return stored;
  }

  /** The disk was found to take nothing, at a start or by somebody else. */
  report(problem: NotStored): void {
    this.#isHolding = true;
    this.#setProblem(problem);
    this.#working ??= this.#work();
  }

  /** Looks whether the disk has room, before the first crossing. */
  checkSoon(): void {
    void this.#mutex
      .runExclusive(() => this.#checkRoom(true))
      .then((problem) => {
        if (problem) this.#working ??= this.#work();
      });
  }

  /** Removes at most `most` crossings that are held in memory and are certainly not on the disk, in order. */
  take(most: number, isPlaceable: (crossing: NewCrossing) => boolean): Promise<readonly NewCrossing[]> {
    return this.#mutex.runExclusive(async () => {
      if (!this.#isHolding) return [];
      const { doubtful } = this.#appender;
      const some = this.#queue.slice(doubtful, most);
      const end = some.findIndex((crossing) => !isPlaceable(crossing));
      const taken = end === -1 ? some : some.slice(0, end);
      this.#queue.remove(doubtful, taken.length);
      return taken;
    });
  }

  /**
   * Runs `work` between two writes, while no file is open; crossings that are appended meanwhile stay in memory.
   * Rejects as `work` does, with JournalFailed where nothing is written any more, and with NotStored while the disk
   * takes nothing.
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.runExclusive(async () => {
      if (this.#failure) throw this.#failure;
      if (this.#isHolding && this.#problem) throw this.#problem;
      await this.#appender.closeFile();
      return work();
    });
  }

  /** Writes nothing more: what the disk holds now is unknown. Crossings in memory are rejected with JournalFailed. */
  fail(cause: unknown): void {
    this.#failure ??= cause instanceof JournalFailed ? cause : new JournalFailed(cause);
    this.#queue.fail(this.#failure);
  }

  /** Finishes what was begun, unless the disk takes nothing, and closes the file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
    await this.#mutex.runExclusive(() => this.#appender.closeFile());
    this.#failure ??= new JournalFailed('it was closed');
  }

  /** Until everything is written and the disk is well. */
  async #work(): Promise<void> {
    let wait = this.#settings.retryEvery;
    while (!this.#failure && (this.#queue.length > 0 || this.#problem)) {
      if (this.#queue.length === 0 || this.#isHolding) {
        this.#waking = new AbortController();
        await pause(wait, AbortSignal.any([this.#closing.signal, this.#waking.signal]));
        wait = Math.min(2 * wait, longestPause * this.#settings.retryEvery);
      }
      const isClosing = this.#closing.signal.aborted;
      if (isClosing && this.#queue.length === 0) break;
      const problem = await this.#mutex.runExclusive(() => this.#tryOnce());
      if (!problem) wait = this.#settings.retryEvery;
      // A disk that is short of room may still take what is left.
      if (problem && isClosing && this.#isHolding) this.fail(problem);
    }
    this.#working = undefined;
  }

  /** Writes some of the queue, and looks whether a problem has gone; resolves with what of it is left. */
  async #tryOnce(): Promise<NotStored | undefined> {
    const hasWritten = this.#queue.length > 0;
    try {
      if (this.#isHolding) await this.#hooks.prepare();
      if (hasWritten) await this.#writeSome();
    } catch (error) {
      return this.#hold(error);
    }
    return this.#checkRoom(hasWritten);
  }

  async #writeSome(): Promise<void> {
    // One at a time while that fails: fewer crossings are then in doubt.
    const some = this.#queue.slice(0, this.#isHolding ? 1 : this.#queue.length);
    const durable = await this.#appender.append(some);
    this.#queue.remove(0, durable);
    this.#isHolding = false;
    this.#hooks.onDurable();
  }

  async #checkRoom(hasWritten: boolean): Promise<NotStored | undefined> {
    try {
      await this.#hooks.checkRoom(hasWritten);
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
    if (isChanged) this.#hooks.onStorage();
  }
}
