import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { BackOff } from '@visitor-counter/service/back-off';
import { Listeners } from '../async/concurrency.ts';
import { type DatedBoot, mergedBoots, type UndatedBoot } from './boot-times.ts';
import type { NewCrossing } from './crossing-row.ts';
import type { Disk } from './disk.ts';
import {
  asNotStored,
  isDamage,
  isFull,
  isInDoubt,
  JournalOfAnotherDevice,
  NotStored,
} from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import type { StoredJournal } from './journals.ts';
import type { LostOfJournal } from './lost-ranges.ts';
import { Retention } from './retention.ts';
import { type Batch, pendingIn, Store } from './store.ts';

/** The listeners to each kind of change. */
class JournalChanges {
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

/**
 * The unit's durable log of crossings, numbered 1, 2, 3, … without gaps. See `openJournal`.
 *
 * While the disk cannot be written, crossings are in a journal of their own in memory, with its own id, which is delivered
 * like any other; what is not acknowledged moves to the disk when that works again. A crossing that may be on the disk
 * although writing failed is not delivered before it certainly is: otherwise it could be counted twice.
 */
export class Journal {
  readonly changes = new JournalChanges();
  readonly #disk: Disk;
  readonly #settings: JournalSettings;
  readonly #release: () => Promise<void>;
  #store: Store | undefined;
  /** `#store` has been opened on a disk that cannot be written. */
  #isReadOnly = false;
  #memory: Store | undefined;
  #inDoubt: NewCrossing[] = [];
  #problem: NotStored | undefined;
  #retention: Retention | undefined;
  /** The journal in addition to the present one that was delivered last. */
  #other: Readonly<StoredJournal> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #retries: BackOff;

  constructor(disk: Disk, settings: JournalSettings, release: () => Promise<void>) {
    this.#disk = disk;
    this.#settings = settings;
    this.#release = release;
    this.#retries = new BackOff({ first: settings.retryEvery, longest: longestRetry * settings.retryEvery });
  }

  /** Called once, before anything else. Throws JournalOfAnotherDevice. */
  open(): void {
    try {
      this.#use(this.#disk.open());
    } catch (error) {
      if (error instanceof JournalOfAnotherDevice) throw error;
      this.#store = this.#disk.openReadOnly();
      this.#isReadOnly = true;
      this.#hold(error);
    }
  }

  /** Random; 32 hexadecimal digits. Another one after `beginNew`, and when the disk can be used again. */
  get id(): string {
    return this.#current.name;
  }

  /** The last sequence; 0 when there is none. */
  get recorded(): number {
    return this.#current.recorded;
  }

  /** The instant of the last crossing (epoch ms); 0 when there is none. */
  get recordedAt(): number {
    return this.#present.recordedAt;
  }

  /** The last sequence that the server has acknowledged; 0 when there is none. */
  get acknowledged(): number {
    return this.#current.acknowledged;
  }

  /** The instant of the last acknowledged crossing (epoch ms); 0 when there is none. */
  get acknowledgedAt(): number {
    return this.#current.acknowledgedAt;
  }

  /** The present journal and those that have ended, in the order in which they are delivered. */
  get journals(): readonly Readonly<StoredJournal>[] {
    return this.#stores.flatMap((store) => store.all);
  }

  /** A journal in addition to the present one: in memory, or one that was damaged. */
  get other(): Readonly<StoredJournal> | undefined {
    return this.#memory && this.#store ? this.#memory.current : this.#other;
  }

  /** Sequences that are permanently declared lost because the disk could not read them. */
  get lost(): readonly LostOfJournal[] {
    return this.journals.flatMap(({ name, lost }) =>
      lost.map(([first, last]): LostOfJournal => [name, first, last]),
    );
  }

  /** Why the disk cannot be written; undefined without a problem. */
  get storageProblem(): NotStored | undefined {
    return this.#problem;
  }

  /** Whether new crossings are held in memory because the disk cannot be written. */
  get isHolding(): boolean {
    return this.#problem !== undefined;
  }

  /** How many unacknowledged crossings are only in memory: a power cut loses them. */
  get held(): number {
    return this.#inDoubt.length + (this.#memory ? pendingIn(this.#memory) : 0);
  }

  /** How many crossings are not acknowledged. */
  get pending(): number {
    return this.#inDoubt.length + this.#stores.reduce((sum, store) => sum + pendingIn(store), 0);
  }

  /**
   * Appends crossings: they are durable, or held in memory while the disk cannot be written. Returns how many were dropped
   * because the memory has too many. Throws NotStored if nothing is held.
   */
  append(crossings: readonly NewCrossing[]): number {
    if (crossings.length === 0) return 0;
    if (!this.#problem) {
      try {
        this.#write(crossings);
        this.changes.durable.call();
        return 0;
      } catch (error) {
        this.#hold(error);
        if (this.#settings.holds && isInDoubt(error)) {
          this.#inDoubt.push(...crossings);
          return 0;
        }
      }
    }
    if (!this.#settings.holds) throw this.#problem ?? new NotStored('failed');
    const room = crossings.slice(0, Math.max(0, mostHeld - this.held));
    this.#memory ??= this.#newMemory();
    this.#memory.append(room);
    this.changes.storage.call();
    this.changes.durable.call();
    return crossings.length - room.length;
  }

  /** Boots with crossings whose instants are not known yet, in order. */
  get undatedBoots(): readonly UndatedBoot[] {
    return mergedBoots(this.#stores.flatMap((store) => store.undatedBoots));
  }

  /** Stores when these boots began, durably and once; then their crossings can be read. */
  storeBootTimes(boots: readonly DatedBoot[]): void {
    this.#settings.beforeUse('write');
    for (const store of this.#stores.toReversed()) store.setBegins(boots);
    this.changes.durable.call();
  }

  /** At most `max` crossings of the present journal from `from` on that are on the disk, see `Store.read`. */
  read(from: number, max: number): NumberedCrossing[] {
    return this.#reading(() => this.#present.read(this.#current, from, max));
  }

  /**
   * Delivers a journal again from this sequence on; sequences that are no longer there are declared lost. Returns false for a
   * journal that is not there at all.
   */
  continueFrom(name: string, from: number): boolean {
    const isKnown = this.#reading(() => {
      const found = this.#find(name);
      found?.store.continueFrom(found.journal, from);
      return found !== undefined;
    });
    if (isKnown && !this.#problem) this.#tryCleaning();
    this.changes.lost.call();
    return isKnown;
  }

  /**
   * The next crossings to deliver, at most `max`: those of ended journals first. Undefined if there are none, or their
   * instants are not known. Throws if the disk cannot be read, unless there are others in memory.
   */
  next(max: number): Batch | undefined {
    try {
      const found = this.#reading(() => this.#store && nextIn(this.#store, max));
      if (found) return this.#noteOther(found);
    } catch (error) {
      const held = this.#memory && nextIn(this.#memory, max);
      if (!held) throw error;
      return held;
    }
    return this.#memory && nextIn(this.#memory, max);
  }

  /** The server has stored a batch that `next` has returned. Does nothing if delivery continues before it. */
  acknowledge({ journal: name, crossings }: Batch): void {
    const [first, last] = [crossings[0], crossings.at(-1)];
    const journal = this.#find(name)?.journal;
    if (!first || !last || !journal || first.sequence > journal.acknowledged + 1) return;
    if (last.sequence <= journal.acknowledged) return;
    journal.acknowledged = last.sequence;
    journal.acknowledgedAt = Math.max(journal.acknowledgedAt, last.at);
    if (this.#memory?.find(name)) this.changes.storage.call();
    else if (!this.#problem && this.#retention?.isDue(journal)) this.#tryCleaning();
  }

  /**
   * Ends the journal with the id `ended`, and begins another one; does nothing if this journal has another id. What is not
   * acknowledged is delivered under the old id. Throws NotStored while the disk cannot be written.
   */
  beginNew(ended: string): void {
    if (this.id !== ended) return;
    if (this.#problem || !this.#store) throw this.#problem ?? new NotStored('failed');
    this.#other = this.#store.current;
    this.#store.begin(this.#settings.serial);
    this.changes.durable.call();
  }

  /** Stores what is held in memory if the disk can be written now, and closes the database. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#problem) this.#tryDisk();
    clearTimeout(this.#timer);
    if (!this.#problem) this.#tryCleaning();
    this.#store?.close();
    this.#memory?.close();
    await this.#release();
  }

  get #stores(): Store[] {
    return [this.#store, this.#memory].filter((store) => store !== undefined);
  }

  #find(name: string): { store: Store; journal: StoredJournal } | undefined {
    for (const store of this.#stores) {
      const journal = store.find(name);
      if (journal) return { store, journal };
    }
    return undefined;
  }

  /** The store of the present journal: in memory only until the disk can be used. */
  get #present(): Store {
    if (this.#store) return this.#store;
    this.#memory ??= this.#newMemory();
    return this.#memory;
  }

  get #current(): Readonly<StoredJournal> {
    return this.#present.current;
  }

  #newMemory(): Store {
    return Store.open(':memory:', { ...this.#settings, limit: 0 });
  }

  #write(crossings: readonly NewCrossing[]): void {
    this.#disk.assertWritable();
    try {
      this.#store?.append(crossings);
    } catch (error) {
      if (isDamage(error)) this.#repair(error);
      else if (!isFull(error) || !this.#retention?.makeRoom()) throw error;
      this.#store?.append(crossings);
    }
  }

  /** Uses a database of the disk that has been opened. */
  #use(store: Store): void {
    const before = this.#store;
    for (const { name, acknowledged, acknowledgedAt } of before?.all ?? []) {
      const journal = store.find(name);
      if (journal && acknowledged > journal.acknowledged)
        Object.assign(journal, { acknowledged, acknowledgedAt });
    }
    if (before !== store) before?.close();
    this.#store = store;
    this.#isReadOnly = false;
    this.#retention = new Retention(store, this.#settings);
  }

  /** Reads from the disk, and repairs the database if it is damaged, or has been unreadable for long. */
  #reading<Result>(read: () => Result): Result {
    try {
      this.#settings.beforeUse('read');
      const result = read();
      this.#disk.isRead();
      return result;
    } catch (error) {
      if (this.#problem || !this.#disk.isLost(error)) throw error;
      this.#repair(error);
      return read();
    }
  }

  #repair(cause: unknown): void {
    this.#store?.close();
    this.#store = undefined;
    this.#isReadOnly = true;
    try {
      this.#use(this.#disk.repair(cause));
    } catch (error) {
      this.#hold(error);
      throw error;
    }
    this.changes.lost.call();
  }

  #hold(error: unknown): void {
    this.#problem = isFull(error) && this.#retention?.isAtLimit ? new NotStored('limit') : asNotStored(error);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tryDisk(), this.#retries.next());
    this.changes.storage.call();
  }

  /** Stores everything that is in memory, if the disk can be written now. */
  #tryDisk(): void {
    try {
      if (this.#isReadOnly) this.#use(this.#disk.open());
      this.#write(this.#inDoubt);
      this.#inDoubt = [];
      if (this.#memory && this.#memory !== this.#store) this.#store?.adopt(this.#memory);
    } catch (error) {
      this.#hold(error);
      return;
    }
    if (this.#memory) this.#other = this.#store?.find(this.#memory.current.name);
    this.#memory?.close();
    this.#memory = undefined;
    this.#problem = undefined;
    this.#retries.reset();
    this.changes.storage.call();
    this.changes.durable.call();
  }

  #tryCleaning(): void {
    try {
      this.#settings.beforeUse('write');
      this.#retention?.clean();
    } catch (error) {
      this.#settings.log.warn({ err: error }, 'position of the journal not stored; retried later');
    }
  }

  #noteOther(batch: Batch): Batch {
    if (batch.journal !== this.id) this.#other = this.#store?.find(batch.journal);
    return batch;
  }
}

/** The next crossings of the first journal that has any. */
function nextIn(store: Store, max: number): Batch | undefined {
  for (const journal of store.all) {
    const crossings = store.pending(journal, max);
    if (crossings.length > 0) return { journal: journal.name, crossings };
  }
  return undefined;
}
