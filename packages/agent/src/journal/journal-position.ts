import { Mutex } from '../async/concurrency.ts';
import { type Acknowledged, firstPosition, writeAcknowledged } from './acknowledged-file.ts';
import type { JournalState } from './journal-state.ts';
import { type LostRange, mergedRanges, rangeAt } from './lost-ranges.ts';

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
  readonly #state: JournalState;
  readonly #mutex = new Mutex();
  /** When the running time was 0 (monotonic ms). */
  readonly #origin: number;
  #now: Acknowledged;
  #stored: number;

  constructor(state: JournalState, found: Acknowledged) {
    this.#state = state;
    this.#origin = state.settings.monotonic() - found.ran;
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
    const { keepFor } = this.#state.settings;
    const until = this.#ran() - keepFor;
    return this.#now.marks.findLast(([, ran]) => ran <= until)?.[0] ?? 0;
  }

  /** The server has stored everything up to `through`, a crossing at `at`. */
  acknowledge(through: number, at: number): void {
    if (through <= this.#now.through) return;
    this.#now = { ...this.#now, through, at };
    this.#state.changes.acknowledged.call();
  }

  /** Declares sequences lost; durable when this resolves. If it rejects, with the system's error, they are not lost. */
  declareLost(ranges: readonly LostRange[]): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const lost = mergedRanges([...this.#now.lost, ...ranges]);
      await this.#write({ ...this.#now, lost });
      this.#now = { ...this.#now, lost };
      this.#state.changes.lost.call();
    });
  }

  /** The sequence of the last crossing, if those that are only in memory were on the disk; 0 if it was not stored. */
  get counted(): number {
    return this.#now.counted;
  }

  /**
   * Stores that crossings up to this sequence exist, even if the last ones are only in memory; durable when this
   * resolves.
   */
  storeCounted(counted: number): Promise<void> {
    return this.#mutex.runExclusive(() => this.#write({ ...this.#now, counted }));
  }

  /** Stores the position if it has changed, then runs `work`; no position is stored meanwhile. */
  store(work: () => Promise<void>): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (this.#now.through !== this.#stored) await this.#write(this.#now);
      await work();
    });
  }

  /**
   * Stores the position, then runs `begin`, which begins another journal and resolves to its id. If the new position
   * cannot be stored now, the next change stores it: until then nothing of the new journal counts as acknowledged after a
   * restart.
   */
  replace(begin: () => Promise<string>): Promise<void> {
    return this.store(async () => {
      this.#now = firstPosition(await begin());
      this.#stored = 0;
      await this.#write(this.#now).catch(this.#state.settings.onProblem);
    });
  }

  async #write(position: Acknowledged): Promise<void> {
    const { directory, settings } = this.#state;
    const { serial, files } = settings;
    const ran = this.#ran();
    const marks = this.#marksAt(position, ran);
    const next: Acknowledged = { ...position, ran, marks, ...(serial !== undefined && { serial }) };
    await writeAcknowledged(files, directory, next);
    this.#now = { ...this.#now, marks, counted: position.counted };
    this.#stored = position.through;
  }

  /** Only the last expired mark and later ones are needed. */
  #marksAt({ through, marks }: Acknowledged, ran: number): [number, number][] {
    const { keepFor } = this.#state.settings;
    const expired = marks.findLastIndex(([, since]) => since <= ran - keepFor);
    const needed = marks.slice(Math.max(0, expired));
    const [, last] = needed.at(-1) ?? [];
    const isDue = last === undefined || ran - last >= keepFor / marksPerPeriod;
    return isDue && through > 0 ? [...needed, [through, ran]] : needed;
  }

  #ran(): number {
    return Math.round(this.#state.settings.monotonic() - this.#origin);
  }
}
