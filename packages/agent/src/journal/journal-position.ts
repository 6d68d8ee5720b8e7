import { Listeners } from '../async/listeners.ts';
import { Mutex } from '../async/mutex.ts';
import { type Acknowledged, positionAt, writeAcknowledged } from './acknowledged-file.ts';
import type { FileSystem } from './file-system.ts';
import { type LostRange, mergedRanges, rangeAt } from './lost-ranges.ts';

export interface PositionSettings {
  /** How long acknowledged crossings are kept (ms). */
  readonly keepFor: number;
  /** A clock that only moves forward (ms). */
  readonly monotonic: () => number;
  /** The position could not be stored; the next change stores it again. */
  readonly onProblem: (error: unknown) => void;
  /** The device that writes the journal. */
  readonly serial?: string | undefined;
}

/** `keepFor` is divided into this many marks. */
const marksPerPeriod = 32;

/**
 * How far the server has acknowledged a journal, and which of its sequences are declared lost.
 *
 * Invariant: a range is in `lost` only after it is durable there. Only then may an acknowledgement cover unreadable
 * sequences; otherwise a restart would forget that they are lost. The acknowledged position itself may be stored late, or
 * be lost: the server recognizes crossings that are sent again.
 *
 * The time since an acknowledgement is measured in running time of the agent, from mark to mark, since a unit's clock may
 * be wrong by any amount. Time without a running agent is not counted: crossings are then kept longer.
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

  /** The last sequence whose acknowledgement is durable. */
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

  /** The last sequence that was acknowledged at least `keepFor` of running time ago; 0 for none. */
  get expired(): number {
    const { keepFor } = this.#settings;
    if (keepFor === 0) return this.#stored;
    const until = this.#ran() - keepFor;
    return this.#now.marks.findLast(([, ran]) => ran <= until)?.[0] ?? 0;
  }

  /** The server has stored everything up to `through`, a crossing at `at`. Returns whether that is new. */
  acknowledge(through: number, at: number): boolean {
    if (through <= this.#now.through) return false;
    this.#now = { ...this.#now, through, at };
    this.#acknowledged.call();
    return true;
  }

  /** Calls `listener` after every acknowledgement; returns the function that removes it. */
  onAcknowledged(listener: () => void): () => void {
    return this.#acknowledged.add(listener);
  }

  /** Resolves at the next acknowledgement, or when `signal` aborts. */
  nextAcknowledgement(signal: AbortSignal): Promise<void> {
    return this.#acknowledged.next(signal);
  }

  /** Calls `listener` when more is declared lost; returns the function that removes it. */
  onLost(listener: () => void): () => void {
    return this.#lost.add(listener);
  }

  /** Declares sequences lost; durable when this resolves. If it rejects, with the system's error, they are not lost. */
  declareLost(ranges: readonly LostRange[]): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const lost = mergedRanges([...this.#now.lost, ...ranges]);
      await this.#write({ ...this.#now, lost });
      this.#now = { ...this.#now, lost };
      this.#lost.call();
    });
  }

  /** The sequence of the last crossing, if those that are only in memory were on the disk; 0 if it was not noted. */
  get counted(): number {
    return this.#now.counted;
  }

  /** Notes that crossings up to this sequence exist, even if only memory has the last ones; durable when this resolves. */
  noteCounted(counted: number): Promise<void> {
    return this.#mutex.runExclusive(() => this.#write({ ...this.#now, counted }));
  }

  /** Stores the position if it has changed, then runs `work`; no position is stored meanwhile. */
  store(work: () => Promise<void> = async () => {}): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (this.#now.through !== this.#stored) await this.#write(this.#now);
      await work();
    });
  }

  /**
   * Stores the position, then runs `begin`, which begins another journal and resolves to its id. If the new position
   * cannot be stored now, the next change stores it: until then nothing of the new journal counts as acknowledged after a restart.
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
    await writeAcknowledged(this.#files, this.#directory, { ...position, ran, marks }, this.#settings.serial);
    this.#now = { ...this.#now, marks, counted: position.counted };
    this.#stored = position.through;
  }

  /** Only the last expired mark and later ones are needed. */
  #marksAt({ through, marks }: Acknowledged, ran: number): [number, number][] {
    const { keepFor } = this.#settings;
    const expired = marks.findLastIndex(([, since]) => since <= ran - keepFor);
    const needed = marks.slice(Math.max(0, expired));
    const [, last] = needed.at(-1) ?? [];
    const isDue = last === undefined || ran - last >= keepFor / marksPerPeriod;
    return isDue && through > 0 ? [...needed, [through, ran]] : needed;
  }

  #ran(): number {
    return this.#ranBefore + Math.round(this.#settings.monotonic() - this.#began);
  }
}
