import { type DatedBoot, mergedBoots, type UndatedBoot } from './boots.ts';
import type { NewCrossing } from './crossings.ts';
import type { Disk } from './disk.ts';
import { Held, JournalChanges } from './held.ts';
import { isPermanent, NotStored } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import type { LostOfJournal } from './lost-ranges.ts';
import type { Batch, Store } from './store.ts';
import { acknowledge, type StoredJournal } from './stored-journal.ts';

/**
 * The unit's durable log of crossings, numbered 1, 2, 3, … without gaps. See `openJournal`.
 *
 * While the disk cannot be written, crossings are in a journal of their own in memory, with its own id, which is delivered
 * like any other, and moves to the disk when that works again.
 */
export class Journal {
  readonly changes = new JournalChanges();
  readonly #disk: Disk;
  readonly #settings: JournalSettings;
  readonly #held: Held;

  /** Throws as `openJournal` does. */
  constructor(disk: Disk, settings: JournalSettings) {
    this.#disk = disk;
    this.#settings = settings;
    this.#held = new Held(disk, settings, this.changes);
    disk.repaired.add(() => this.changes.lost.call());
    try {
      disk.open();
    } catch (error) {
      if (isPermanent(error)) throw error;
      disk.openReadOnly();
      this.#held.begin(error);
    }
  }

  /** The present journal: in memory only until the disk can be used. */
  get current(): Readonly<StoredJournal> {
    return (this.#disk.store ?? this.#held.open()).current;
  }

  /** Random; 32 hexadecimal digits. Another one after `beginNew`, and when the disk can be used again. */
  get id(): string {
    return this.current.name;
  }

  /** The last sequence; 0 when there is none. */
  get recorded(): number {
    return this.current.recorded;
  }

  /** The last sequence that the server has acknowledged; 0 when there is none. */
  get acknowledged(): number {
    return this.current.acknowledged;
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
    return this.#held.problem;
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
    if (this.#held.problem) return this.#held.append(crossings);
    try {
      this.#disk.append(crossings);
    } catch (error) {
      this.#held.begin(error);
      return this.#held.append(crossings, error);
    }
    this.changes.durable.call();
    return 0;
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

  /**
   * Delivers a journal again from this sequence on; sequences that are no longer there are declared lost. Returns false for a
   * journal that is not there at all, or has lost its end from there on. Throws NotStored while the disk cannot be opened.
   */
  continueFrom(name: string, from: number): boolean {
    const isKnown = this.#reading(() => {
      const found = this.#find(name);
      if (!found && !this.#disk.store) throw this.storageProblem ?? new NotStored('failed');
      found?.store.continueFrom(found.journal, from);
      return found !== undefined && from <= found.journal.recorded;
    });
    this.#disk.clean();
    this.changes.lost.call();
    return isKnown;
  }

  /**
   * The next crossings to deliver, at most `max`: those of ended journals first. Throws if the disk cannot be read, unless
   * there are others in memory.
   */
  next(max: number): Batch | undefined {
    const held = () => this.#held.store?.next(max);
    try {
      return this.#reading(() => this.#disk.store?.next(max)) ?? held();
    } catch (error) {
      const found = held();
      if (!found) throw error;
      return found;
    }
  }

  /** The server has stored a batch that `next` has returned. Does nothing if delivery continues before it. */
  acknowledge({ journal: name, crossings }: Batch): void {
    const { store, journal } = this.#find(name) ?? {};
    const more = journal ? acknowledge(journal, crossings) : 0;
    if (more === 0) return;
    if (store === this.#held.store) this.changes.storage.call();
    else this.#disk.acknowledged(more);
  }

  /**
   * Ends the journal with the id `ended`, and begins another one; does nothing if this journal has another id. What is not
   * acknowledged is delivered under the old id. Throws NotStored while the disk cannot be written.
   */
  beginNew(ended: string): void {
    if (this.id !== ended) return;
    const { storageProblem } = this;
    if (storageProblem || !this.#disk.store) throw storageProblem ?? new NotStored('failed');
    this.#disk.store.begin(this.#settings.serial);
    this.changes.durable.call();
  }

  /** Stores what is held in memory if the disk can be written now, and closes the database. */
  async close(): Promise<void> {
    this.#held.close();
    this.#disk.clean();
    this.#disk.close();
  }

  get #stores(): Store[] {
    return [this.#disk.store, this.#held.store].filter((store) => store !== undefined);
  }

  #find(name: string): { store: Store; journal: StoredJournal } | undefined {
    for (const store of this.#stores) {
      const journal = store.find(name);
      if (journal) return { store, journal };
    }
    return undefined;
  }

  /** Reads from the disk, and holds new crossings in memory if it is damaged and cannot be repaired. */
  #reading<Result>(read: () => Result): Result {
    try {
      return this.#disk.read(read);
    } catch (error) {
      if (!this.#disk.store && !this.storageProblem) this.#held.begin(error);
      throw error;
    }
  }
}
