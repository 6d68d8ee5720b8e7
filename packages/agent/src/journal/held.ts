import { BackOff } from '@visitor-counter/service/back-off';
import { Listeners } from '../async/concurrency.ts';
import type { NewCrossing } from './crossings.ts';
import type { Disk } from './disk.ts';
import { isFull, isInDoubt, NotStored } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { Store } from './store.ts';

/** The listeners to each kind of change. */
export class JournalChanges {
  /** There may be more to read. */
  readonly durable = new Listeners();
  /** The storage problem has changed, or how many crossings are only in memory. */
  readonly storage = new Listeners();
  /** More is declared lost. */
  readonly lost = new Listeners();
}

/** The most crossings that are held in memory: a week of a busy door, some 10 MB. */
const mostHeld = 100_000;

/** The longest pause between two attempts, as a multiple of the first. */
const longestRetry = 12;

/** The crossings that the disk has not stored, in a journal of their own in memory, until the disk can be written. */
export class Held {
  readonly #disk: Disk;
  readonly #settings: JournalSettings;
  readonly #changes: JournalChanges;
  readonly #retries: BackOff;
  #store: Store | undefined;
  /** They may be on the disk although writing failed, so they are not delivered: otherwise they could be counted twice. */
  #inDoubt: readonly NewCrossing[] = [];
  #problem: NotStored | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(disk: Disk, settings: JournalSettings, changes: JournalChanges) {
    this.#disk = disk;
    this.#settings = settings;
    this.#changes = changes;
    const { retryEvery: first } = settings;
    this.#retries = new BackOff({ first, longest: longestRetry * first });
  }

  /** Why the disk cannot be written; undefined while it can. */
  get problem(): NotStored | undefined {
    return this.#problem;
  }

  /** Undefined if there is no journal in memory. */
  get store(): Store | undefined {
    return this.#store;
  }

  /** The journal in memory, which begins if there is none. */
  open(): Store {
    this.#store ??= Store.open(':memory:', { ...this.#settings, limit: 0 });
    return this.#store;
  }

  /** How many of its crossings are not acknowledged. */
  get pending(): number {
    return this.#inDoubt.length + (this.#store?.pending ?? 0);
  }

  /** Notes that the disk cannot be written, and tries it again later. */
  begin(error: unknown): void {
    const problem = !isFull(error) ? 'failed' : this.#disk.isAtLimit ? 'limit' : 'full';
    this.#problem = new NotStored(problem, error);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.tryDisk(), this.#retries.next());
    this.#changes.storage.call();
  }

  /**
   * Returns how many crossings were dropped because there are too many. `failure`: of the disk, which may have stored them;
   * nothing else is appended to it before they are there. Throws NotStored if nothing is held.
   */
  append(crossings: readonly NewCrossing[], failure?: unknown): number {
    if (!this.#settings.holds) throw this.#problem ?? new NotStored('failed');
    const areInDoubt = isInDoubt(failure);
    const room = areInDoubt ? crossings : crossings.slice(0, Math.max(0, mostHeld - this.pending));
    if (areInDoubt) this.#inDoubt = room;
    else this.open().append(room);
    this.#changes.storage.call();
    this.#changes.durable.call();
    return crossings.length - room.length;
  }

  /** Moves everything to the disk if that can be written now. */
  tryDisk(): void {
    try {
      this.#disk.append(this.#inDoubt);
      this.#inDoubt = [];
      if (this.#store) this.#disk.store?.adopt(this.#store);
    } catch (error) {
      this.begin(error);
      return;
    }
    this.#store?.close();
    this.#store = undefined;
    this.#problem = undefined;
    this.#retries.reset();
    this.#changes.storage.call();
    this.#changes.durable.call();
  }

  /** Stores what is held if the disk can be written now. */
  close(): void {
    if (this.#problem) this.tryDisk();
    clearTimeout(this.#timer);
  }
}
