import { join } from 'node:path';
import { type Acknowledged, writeAcknowledged } from './acknowledged-file.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalState } from './journal-state.ts';

/** How often the acknowledged position is stored at most (ms): memory cards wear. */
const storeEvery = 1_000;

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
  readonly #onProblem: (error: unknown) => void;
  #position: Acknowledged;
  #stored: number;
  #storing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    files: FileSystem,
    state: JournalState,
    position: Acknowledged,
    onProblem: (error: unknown) => void,
  ) {
    this.#files = files;
    this.#state = state;
    this.#position = position;
    this.#stored = position.through;
    this.#onProblem = onProblem;
  }

  get position(): Acknowledged {
    return this.#position;
  }

  /** Everything up to sequence `through`, a crossing at `at`, is stored by the server. */
  acknowledge(through: number, at: number): void {
    if (through <= this.#position.through) return;
    this.#position = { ...this.#position, through, at };
    this.#timer ??= setTimeout(() => this.#storeSoon(), storeEvery).unref();
  }

  /** Stores the position if it has moved. */
  async close(): Promise<void> {
    this.#storeSoon();
    await this.#storing;
  }

  #storeSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing = this.#storing.then(() => this.#store()).catch(this.#onProblem);
  }

  async #store(): Promise<void> {
    const position = this.#position;
    if (position.through === this.#stored) return;
    await writeAcknowledged(this.#files, this.#state.directory, position);
    this.#stored = position.through;
    await this.#free(position.through);
  }

  async #free(through: number): Promise<void> {
    const done = this.#state.segments.slice(0, -1).filter(({ first, count }) => first + count - 1 <= through);
    if (done.length === 0) return;
    this.#state.segments = this.#state.segments.filter((segment) => !done.includes(segment));
    for (const { name } of done) await this.#files.remove(join(this.#state.directory, name));
    await this.#files.syncDirectory(this.#state.directory);
  }
}
