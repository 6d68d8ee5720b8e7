import { EventEmitter } from 'node:events';
import { BackOff } from '@visitor-counter/service/back-off';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Disk } from './disk.ts';
import { Held } from './held.ts';
import { InDoubt, isFull, NotStored } from './journal-errors.ts';
import { defaultSettings, type JournalOptions, type JournalSettings } from './journal-settings.ts';
import type { LostOfJournal } from './lost-ranges.ts';
import type { NewCrossing, StoredJournal } from './rows.ts';
import type { Batch, Store } from './store.ts';
import type { DatedBoot, UndatedBoot } from './undated-boots.ts';

/** The kinds of change. */
interface JournalChanges {
  /** There may be more to read. */
  durable: [];
  /** The storage problem has changed, or how many crossings are only in memory. */
  storage: [];
  /** More is declared lost. */
  lost: [];
}

/** The longest pause between two attempts, as a multiple of the first. */
const longestRetry = 12;

/**
 * The unit's durable log of crossings, numbered 1, 2, 3, … without gaps. See `openJournal`.
 *
 * While the disk cannot be written, crossings are in a journal of their own in memory, with its own id, which is delivered
 * like any other, and moves to the disk when that works again.
 */
export class Journal {
  readonly changes = new EventEmitter<JournalChanges>();
  readonly #disk: Disk;
  readonly #settings: JournalSettings;
  readonly #held: Held;
  #problem: NotStored | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #retries: BackOff;

  /** Throws ConfigurationError, see `Disk.open`. */
  constructor(disk: Disk, settings: JournalSettings) {
    this.#disk = disk;
    this.#settings = settings;
    this.#held = new Held(settings);
    this.#retries = new BackOff({ first: settings.retryEvery, longest: longestRetry * settings.retryEvery });
    try {
      disk.open();
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      disk.openReadOnly();
      this.#hold(error);
    }
  }

  /** Random; 32 hexadecimal digits. Another one after `beginNew`, and when the disk can be used again. */
  get id(): string {
    return this.#present.current.name;
  }

  /** The last sequence; 0 when there is none. */
  get recorded(): number {
    return this.#present.current.recorded;
  }

  /** The instant of the last crossing (epoch ms); 0 when there is none. */
  get recordedAt(): number {
    return this.#present.recordedAt;
  }

  /** The last sequence that the server has acknowledged; 0 when there is none. */
  get acknowledged(): number {
    return this.#present.current.acknowledged;
  }

  /** The instant of the last acknowledged crossing (epoch ms); 0 when there is none. */
  get acknowledgedAt(): number {
    return this.#present.current.acknowledgedAt;
  }

  /** The present journal, and those that have ended or are in memory, in the order in which they are delivered. */
  get journals(): readonly Readonly<StoredJournal>[] {
    return this.#stores.flatMap((store) => store.all);
  }

  /** Sequences that are permanently declared lost. */
  get lost(): readonly LostOfJournal[] {
    return this.journals.flatMap(({ name, lost }) =>
      lost.map(([first, last]): LostOfJournal => [name, first, last]),
    );
  }

  /** Why new crossings are held in memory: the disk cannot be written. Undefined without a problem. */
  get storageProblem(): NotStored | undefined {
    return this.#problem;
  }

  /** How many unacknowledged crossings are only in memory: a power cut loses them. */
  get held(): number {
    return this.#held.pending;
  }

  /** How many crossings are not acknowledged. */
  get pending(): number {
    return this.held + (this.#disk.store?.pending ?? 0);
  }

  /**
   * Appends crossings: they are durable, or held in memory while the disk cannot be written. Returns how many were dropped
   * because the memory has too many. Throws NotStored if nothing is held.
   */
  append(crossings: readonly NewCrossing[]): number {
    if (crossings.length === 0) return 0;
    if (!this.#problem) {
      try {
        this.#using(() => this.#disk.append(crossings));
        this.changes.emit('durable');
        return 0;
      } catch (error) {
        this.#hold(error);
        if (this.#settings.holds && error instanceof InDoubt) {
          this.#held.appendInDoubt(crossings);
          return 0;
        }
      }
    }
    if (!this.#settings.holds) throw this.#problem ?? new NotStored('failed');
    const dropped = this.#held.append(crossings);
    this.changes.emit('storage');
    this.changes.emit('durable');
    return dropped;
  }

  /** Whether the instants of some crossings must be determined. */
  get hasUndated(): boolean {
    return this.#stores.some((store) => store.hasUndated);
  }

  /**
   * Boots with crossings whose instants are not known yet, in order. The present one may be there twice. Throws if the disk
   * cannot be read.
   */
  get undatedBoots(): readonly UndatedBoot[] {
    const onDisk = this.#reading(() => this.#disk.store?.undatedBoots ?? []);
    return [...onDisk, ...(this.#held.store?.undatedBoots ?? [])];
  }

  /**
   * Stores the instants of some crossings of these boots, durably and once; then they can be read. Returns whether there are
   * more.
   */
  determineInstants(boots: readonly DatedBoot[]): boolean {
    this.#settings.beforeUse('write');
    const isMoreHeld = this.#held.store?.determineInstants(boots) ?? false;
    const isMore = this.#disk.store?.determineInstants(boots) ?? false;
    this.changes.emit('durable');
    return isMoreHeld || isMore;
  }

  /**
   * Delivers a journal again from this sequence on; sequences that are no longer there are declared lost. Returns false for a
   * journal that is not there at all, or has lost its end from there on. Throws NotStored while the disk cannot be opened.
   */
  continueFrom(name: string, from: number): boolean {
    const isKnown = this.#reading(() => {
      const found = this.#find(name);
      if (!found && !this.#disk.store) throw this.#problem ?? new NotStored('failed');
      found?.store.continueFrom(found.journal, from);
      return found !== undefined && from <= found.journal.recorded;
    });
    this.#disk.clean();
    this.changes.emit('lost');
    return isKnown;
  }

  /**
   * The next crossings to deliver, at most `max`: those of ended journals first. Throws if the disk cannot be read, unless
   * there are others in memory.
   */
  next(max: number): Batch | undefined {
    try {
      const found = this.#reading(() => this.#disk.store?.next(max));
      if (found) return found;
    } catch (error) {
      const held = this.#held.store?.next(max);
      if (!held) throw error;
      return held;
    }
    return this.#held.store?.next(max);
  }

  /** The server has stored a batch that `next` has returned. Does nothing if delivery continues before it. */
  acknowledge({ journal: name, crossings }: Batch): void {
    const [first, last] = [crossings[0], crossings.at(-1)];
    const { store, journal } = this.#find(name) ?? {};
    if (!first || !last || !journal || first.sequence > journal.acknowledged + 1) return;
    if (last.sequence <= journal.acknowledged) return;
    const before = journal.acknowledged;
    journal.acknowledged = last.sequence;
    journal.acknowledgedAt = Math.max(journal.acknowledgedAt, last.at);
    if (store === this.#held.store) this.changes.emit('storage');
    else this.#disk.acknowledged(last.sequence - before);
  }

  /**
   * Ends the journal with the id `ended`, and begins another one; does nothing if this journal has another id. What is not
   * acknowledged is delivered under the old id. Throws NotStored while the disk cannot be written.
   */
  beginNew(ended: string): void {
    if (this.id !== ended) return;
    if (this.#problem || !this.#disk.store) throw this.#problem ?? new NotStored('failed');
    this.#disk.store.begin(this.#settings.serial);
    this.changes.emit('durable');
  }

  /**
   * Copies the journals that another unit of this device has written to a folder, and delivers them first; see
   * `Store.adoptOlder`. Returns the copies. Throws the error of the disk, and NotStored while crossings are held in memory.
   */
  adoptOlder(folder: string): readonly Readonly<StoredJournal>[] {
    if (this.#problem) throw this.#problem;
    const adopted = this.#using(() => this.#disk.adoptOlder(folder));
    this.changes.emit('lost');
    this.changes.emit('durable');
    return adopted;
  }

  /** Stores what is held in memory if the disk can be written now, and closes the database. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#problem) this.#tryDisk();
    clearTimeout(this.#timer);
    this.#disk.clean();
    this.#disk.close();
  }

  get #stores(): Store[] {
    return [this.#disk.store, this.#held.store].filter((store) => store !== undefined);
  }

  #find(name: string): { store: Store; journal: StoredJournal } | undefined {
    const found = this.#stores.map((store) => ({ store, journal: store.find(name) }));
    for (const { store, journal } of found) if (journal) return { store, journal };
    return undefined;
  }

  /** The store of the present journal: in memory only until the disk can be used. */
  get #present(): Store {
    return this.#disk.store ?? this.#held.open();
  }

  /** Reads from the disk, and holds new crossings in memory if it is damaged and cannot be repaired. */
  #reading<Result>(read: () => Result): Result {
    const wasOpen = this.#disk.store !== undefined;
    try {
      return this.#using(() => this.#disk.read(read));
    } catch (error) {
      if (wasOpen && !this.#disk.store) this.#hold(error);
      throw error;
    }
  }

  /** Uses the disk; notifies of what is lost if the database has been repaired. */
  #using<Result>(work: () => Result): Result {
    const { store } = this.#disk;
    try {
      return work();
    } finally {
      if (store && store !== this.#disk.store) this.changes.emit('lost');
    }
  }

  #hold(error: unknown): void {
    const problem = !isFull(error) ? 'failed' : this.#disk.isAtLimit ? 'limit' : 'full';
    this.#problem = new NotStored(problem, error);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tryDisk(), this.#retries.next());
    this.changes.emit('storage');
  }

  /** Stores everything that is in memory, if the disk can be written now. */
  #tryDisk(): void {
    try {
      this.#using(() => this.#held.moveTo(this.#disk));
    } catch (error) {
      this.#hold(error);
      return;
    }
    this.#problem = undefined;
    this.#retries.reset();
    this.changes.emit('storage');
    this.changes.emit('durable');
  }
}

/**
 * Opens the journal in a folder, which is created if it is missing; no other process can open it meanwhile. If the disk
 * cannot be read or written now, crossings are held in memory, and the disk is tried again.
 *
 * Throws ConfigurationError, see `Disk.open`.
 */
export async function openJournal(folder: string, options: JournalOptions = {}): Promise<Journal> {
  const settings = { ...defaultSettings, ...options };
  return new Journal(new Disk(folder, settings), settings);
}
