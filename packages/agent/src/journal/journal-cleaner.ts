import { join } from 'node:path';
import { Listeners } from '../listeners.ts';
import { type Acknowledged, writeAcknowledged } from './acknowledged-file.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { Mutex } from './mutex.ts';

/** How often the acknowledged position is stored at most (ms): memory cards wear. */
const storeEvery = 1_000;

export interface CleanerSettings {
  /** How long an acknowledged crossing is kept after its instant, to be sent again (ms). */
  readonly keepFor: number;
  /** The wall clock (epoch ms). */
  readonly clock: () => number;
  /** The position could not be stored, or a segment not removed; it is tried again with the next one. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * Remembers how far the server has acknowledged, and frees the segments before.
 *
 * The position may be stored late, or get lost: what is sent again is known to the server. A segment goes
 * only after the position beyond it is durable. The last segment stays, so that the sequence and the instant
 * of the last crossing are never lost.
 */
export class JournalCleaner {
  readonly #files: FileSystem;
  readonly #state: JournalState;
  readonly #settings: CleanerSettings;
  #position: Acknowledged;
  #stored: number;
  readonly #mutex = new Mutex();
  readonly #acknowledged = new Listeners();
  #timer: NodeJS.Timeout | undefined;

  constructor(files: FileSystem, state: JournalState, position: Acknowledged, settings: CleanerSettings) {
    this.#files = files;
    this.#state = state;
    this.#position = position;
    this.#stored = position.through;
    this.#settings = settings;
  }

  get position(): Acknowledged {
    return this.#position;
  }

  /** Everything up to sequence `through`, a crossing at `at`, is stored by the server. */
  acknowledge(through: number, at: number): void {
    if (through <= this.#position.through) return;
    this.#position = { ...this.#position, through, at };
    this.#acknowledged.call();
    this.#timer ??= setTimeout(() => void this.#clean(this.#settings.keepFor), storeEvery).unref();
  }

  /** Resolves at the next acknowledgement; rejects with the signal's reason when it aborts before. */
  nextAcknowledgement(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        stopListening();
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = end(() => reject(signal.reason));
      const stopListening = this.#acknowledged.add(end(resolve));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
    });
  }

  /**
   * Stores the position, then runs `work`, which may begin another journal; of that one nothing is acknowledged.
   * Rejects where the position cannot be stored, or as `work` does.
   */
  replacePosition(work: () => Promise<void>): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      await this.#store();
      await work();
      const { journal } = this.#state;
      if (journal === this.#position.journal) return;
      this.#position = { journal, through: 0, at: 0 };
      this.#stored = -1;
      await this.#store().catch(this.#settings.onProblem);
    });
  }

  /** Frees everything that is acknowledged, also what would be kept for a while. */
  makeRoom(): Promise<void> {
    return this.#clean(0);
  }

  /** Stores the position if it has moved. */
  close(): Promise<void> {
    return this.#clean(this.#settings.keepFor);
  }

  #clean(keepFor: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#mutex
      .runExclusive(async () => {
        await this.#store();
        await this.#free(keepFor);
      })
      .catch(this.#settings.onProblem);
  }

  async #store(): Promise<void> {
    const position = this.#position;
    if (position.through === this.#stored) return;
    await writeAcknowledged(this.#files, this.#state.directory, position);
    this.#stored = position.through;
  }

  async #free(keepFor: number): Promise<void> {
    const until = this.#settings.clock() - keepFor;
    const done = this.#state.segments
      .slice(0, -1)
      .filter(({ first, count, lastAt }) => first + count - 1 <= this.#stored && lastAt <= until);
    if (done.length === 0) return;
    this.#state.segments = this.#state.segments.filter((segment) => !done.includes(segment));
    for (const { name } of done) await this.#files.remove(join(this.#state.directory, name));
    await this.#files.syncDirectory(this.#state.directory);
  }
}
