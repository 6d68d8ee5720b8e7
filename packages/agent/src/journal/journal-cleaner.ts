import { join } from 'node:path';
import { type Acknowledged, writeAcknowledged } from './acknowledged-file.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalState } from './journal-state.ts';

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
  #storing: Promise<void> = Promise.resolve();
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
    this.#timer ??= setTimeout(() => void this.#clean(this.#settings.keepFor), storeEvery).unref();
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
    this.#storing = this.#storing
      .then(() => this.#store())
      .then(() => this.#free(keepFor))
      .catch(this.#settings.onProblem);
    return this.#storing;
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
