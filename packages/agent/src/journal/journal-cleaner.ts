import { join } from 'node:path';
import type { FileSystem } from './file-system.ts';
import type { JournalPosition } from './journal-position.ts';
import type { JournalState } from './journal-state.ts';
import { bytesOf, endOf, type Segment } from './segment.ts';

/**
 * The acknowledged position is stored after this many acknowledgements, or after this time (ms). Each write wears a
 * memory card by some 70 KB, and a lost position only causes crossings to be sent again.
 */
const storeAfterCrossings = 500;
const storeAfter = 600_000;

/** The shortest time between two writes, if segments can be freed or many crossings were acknowledged (ms). */
const storeEvery = 1_000;

export interface CleanerSettings {
  /** The most bytes that completely acknowledged segments may take. */
  readonly keepWithin: number;
  /** How long crossings are kept after their acknowledgement (ms). */
  readonly keepFor: number;
  /** The position could not be stored, or a segment could not be removed; the next change retries it. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * Stores the acknowledged position, and removes segments before it: those that were acknowledged long enough ago, and the
 * oldest ones if all of them take too much space.
 *
 * A segment is removed only after the position after it is durable. The last segment stays, so that the sequence and the
 * instant of the last crossing are never lost.
 */
export class JournalCleaner {
  readonly #files: FileSystem;
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  readonly #settings: CleanerSettings;
  #timer: NodeJS.Timeout | undefined;
  /** The timer ends within `storeEvery`. */
  #isSoon = false;

  constructor(files: FileSystem, state: JournalState, position: JournalPosition, settings: CleanerSettings) {
    this.#files = files;
    this.#state = state;
    this.#position = position;
    this.#settings = settings;
    position.onAcknowledged(() => this.#schedule());
  }

  /** Removes the oldest acknowledged segment even if it would be kept longer; resolves with whether there was one. */
  async makeRoom(): Promise<boolean> {
    const before = this.#state.segments.length;
    await this.#clean(() => this.#acknowledged().slice(0, 1));
    return this.#state.segments.length < before;
  }

  /** Stores the position if it has moved. */
  close(): Promise<void> {
    return this.#clean(() => this.#notKept());
  }

  #schedule(): void {
    const isSoon = this.#isWorthStoring();
    if (this.#timer && (!isSoon || this.#isSoon)) return;
    clearTimeout(this.#timer);
    this.#isSoon = isSoon;
    const clean = () => void this.#clean(() => this.#notKept());
    this.#timer = setTimeout(clean, isSoon ? storeEvery : storeAfter).unref();
  }

  #isWorthStoring(): boolean {
    const { through, stored } = this.#position;
    const [first, second] = this.#state.segments;
    const canFree = this.#settings.keepFor === 0 && first && second && endOf(first) <= through;
    return through - stored >= storeAfterCrossings || canFree === true;
  }

  #clean(freed: () => readonly Segment[]): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#position.store(() => this.#free(freed())).catch(this.#settings.onProblem);
  }

  #acknowledged(): readonly Segment[] {
    const { stored } = this.#position;
    return this.#state.segments.slice(0, -1).filter((segment) => endOf(segment) <= stored);
  }

  #notKept(): readonly Segment[] {
    const { expired } = this.#position;
    const acknowledged = this.#acknowledged();
    const kept = acknowledged.findIndex(
      (segment, index) =>
        endOf(segment) > expired && bytesOf(acknowledged.slice(index)) <= this.#settings.keepWithin,
    );
    return kept === -1 ? acknowledged : acknowledged.slice(0, kept);
  }

  async #free(segments: readonly Segment[]): Promise<void> {
    if (segments.length === 0) return;
    this.#state.segments = this.#state.segments.filter((segment) => !segments.includes(segment));
    for (const { name } of segments) await this.#files.remove(join(this.#state.directory, name));
    await this.#files.syncDirectory(this.#state.directory);
  }
}
