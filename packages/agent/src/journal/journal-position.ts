import { Listeners } from '../listeners.ts';
import { type Acknowledged, positionAt, writeAcknowledged } from './acknowledged-file.ts';
import type { FileSystem } from './file-system.ts';
import { type LostRange, mergedRanges, rangeAt } from './lost-ranges.ts';
import { Mutex } from './mutex.ts';

export interface PositionSettings {
  /** How long what is acknowledged is kept (ms). */
  readonly keepFor: number;
  /** A clock that only moves forward (ms). */
  readonly monotonic: () => number;
  /** The position could not be stored; it is tried again with the next one. */
  readonly onProblem: (error: unknown) => void;
}

/** Marks divide the time for which crossings are kept into so many parts. */
const parts = 32;

/**
 * How far the server has acknowledged a journal, and which of its sequences are declared lost.
 *
 * Invariant: a range is in `lost` only once that is durable. What the disk cannot read may be passed over by an
 * acknowledgement only then, or a restart would forget that it was lost. The acknowledged position itself may be stored
 * late, or get lost: what is sent again is known to the server.
 *
 * How long ago something was acknowledged is measured in the time for which agents have run, from mark to mark, since a
 * unit's clock may be wrong by any amount: what was not running is not counted, and what is kept is then kept longer.
 */
export class JournalPosition {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #settings: PositionSettings;
  readonly #mutex = new Mutex();
  readonly #acknowledged = new Listeners();
  readonly #lost = new Listeners();
  readonly #ranBefore: number;
  readonly #began: number;
  #now: Acknowledged;
  #stored: number;

  constructor(files: FileSystem, directory: string, found: Acknowledged, settings: PositionSettings) {
    this.#files = files;
    this.#directory = directory;
    this.#settings = settings;
    this.#ranBefore = found.ran;
    this.#began = settings.monotonic();
    this.#now = found;
    this.#stored = found.through;
  }

  get through(): number {
    return this.#now.through;
  }

  get at(): number {
    return this.#now.at;
  }

  /** Through which sequence it is durable that the server has acknowledged. */
  get stored(): number {
    return this.#stored;
  }

  get lost(): readonly LostRange[] {
    return this.#now.lost;
  }

  /** The declared range that contains a sequence. */
  lostAt(sequence: number): LostRange | undefined {
    return rangeAt(this.#now.lost, sequence);
  }

  /** Through which sequence crossings were acknowledged at least `keepFor` of running time ago; 0 for none. */
  get expired(): number {
    const { keepFor } = this.#settings;
    if (keepFor === 0) return this.#stored;
    const until = this.#ran() - keepFor;
    return this.#now.marks.findLast(([, ran]) => ran <= until)?.[0] ?? 0;
  }

  /** Everything up to `through`, a crossing at `at`, is stored by the server; whether that is new. */
  acknowledge(through: number, at: number): boolean {
    if (through <= this.#now.through) return false;
    this.#now = { ...this.#now, through, at };
    this.#acknowledged.call();
    return true;
  }

  /** Calls `listener` after every acknowledgement; returns what ends that. */
  onAcknowledged(listener: () => void): () => void {
    return this.#acknowledged.add(listener);
  }

  /** Resolves at the next acknowledgement, or when `signal` aborts. */
  async nextAcknowledgement(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopListening = this.onAcknowledged(resolve);
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) resolve();
    await promise;
    signal.removeEventListener('abort', onAbort);
    stopListening();
  }

  /** Calls `listener` when more is declared lost; returns what ends that. */
  onLost(listener: () => void): () => void {
    return this.#lost.add(listener);
  }

  /** Declares sequences lost, which is durable when this resolves. Rejects with the system's error; then they are not. */
  declareLost(ranges: readonly LostRange[]): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const lost = mergedRanges([...this.#now.lost, ...ranges]);
      await this.#write({ ...this.#now, lost });
      this.#now = { ...this.#now, lost };
      this.#lost.call();
    });
  }

  /** Stores the position if it has moved, then runs `work`, while no other position is stored. */
  store(work: () => Promise<void> = async () => {}): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (this.#now.through !== this.#stored) await this.#write(this.#now);
      await work();
    });
  }

  /**
   * Stores the position, then runs `begin`, which begins another journal and resolves to its id. Its position is stored
   * when it moves, if not at once: no file says that anything of it is acknowledged.
   */
  replace(begin: () => Promise<string>): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (this.#now.through !== this.#stored) await this.#write(this.#now);
      this.#now = positionAt(await begin(), 0, 0);
      this.#stored = 0;
      await this.#write(this.#now).catch(this.#settings.onProblem);
    });
  }

  async #write(position: Acknowledged): Promise<void> {
    const ran = this.#ran();
    const marks = this.#marksAt(position, ran);
    await writeAcknowledged(this.#files, this.#directory, { ...position, ran, marks });
    this.#now = { ...this.#now, marks };
    this.#stored = position.through;
  }

  /** Marks are needed from the last one that has expired on. */
  #marksAt({ through, marks }: Acknowledged, ran: number): [number, number][] {
    const { keepFor } = this.#settings;
    const expired = marks.findLastIndex(([, since]) => since <= ran - keepFor);
    const needed = marks.slice(Math.max(0, expired));
    const [, last] = needed.at(-1) ?? [];
    const isDue = last === undefined || ran - last >= keepFor / parts;
    return isDue && through > 0 ? [...needed, [through, ran]] : needed;
  }

  #ran(): number {
    return this.#ranBefore + Math.round(this.#settings.monotonic() - this.#began);
  }
}
