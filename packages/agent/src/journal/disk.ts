import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { openReadOnly } from './database.ts';
import { asUnusable, isBusy, isDamage, isDiskError, isFull } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { finishRepair, repairDatabase } from './repair.ts';
import type { NewCrossing, StoredJournal } from './rows.ts';
import { Store } from './store.ts';

/** The file of a journal in its folder. */
export const fileName = 'journal.sqlite';

/** Whether a process has the journal in a folder open. */
export function isInUse(folder: string): boolean {
  try {
    openReadOnly(join(folder, fileName)).close();
    return false;
  } catch (error) {
    return isBusy(error);
  }
}

/** For how long a database that the disk cannot read is read again before it is set aside (ms). */
const rereadFor = 20_000;
/** Positions are stored after so many acknowledged crossings, or after this time (ms): each write wears the card. */
const storeAfter = { crossings: 500, ms: 600_000 };
/** A database with less room than this has reached its limit (bytes). */
const margin = 65_536;

/**
 * The database of a journal in a folder of the disk.
 *
 * Invariant: a file that may be readable is never replaced. A damaged one is repaired, and one that the disk has not been
 * able to read for `rereadFor` is set aside after everything readable of it has been copied.
 */
export class Disk {
  readonly #folder: string;
  readonly #path: string;
  readonly #settings: JournalSettings;
  #store: Store | undefined;
  #isWritable = false;
  #unreadableSince: number | undefined;
  #attempt: { readonly crossings: readonly NewCrossing[]; name: string; recorded: number } | undefined;
  #unstored = { crossings: 0, since: performance.now() };

  constructor(folder: string, settings: JournalSettings) {
    this.#folder = folder;
    this.#path = join(folder, fileName);
    this.#settings = settings;
  }

  /** Undefined while it cannot be opened. */
  get store(): Store | undefined {
    return this.#store;
  }

  get isAtLimit(): boolean {
    return (this.#store?.bytes ?? 0) >= this.#settings.limit - margin;
  }

  /**
   * Opens the database to write it. Throws the error of the disk if that fails now, and ConfigurationError if another process
   * has it open (two writers would give one sequence to two crossings), if it is of another device, and if the path can never
   * contain a journal.
   */
  open(): void {
    if (this.#isWritable) return;
    this.#settings.beforeUse('write');
    try {
      mkdirSync(this.#folder, { recursive: true });
      finishRepair(this.#path);
      this.#use(Store.open(this.#path, this.#settings));
    } catch (error) {
      if (isBusy(error))
        throw new ConfigurationError('journal', this.#folder, 'a folder that no other agent has open');
      if (!this.#isLost(error)) throw asUnusable(this.#folder, error);
      this.#repair(error);
    }
  }

  /** Opens the database of a disk that cannot be written, if it can be read. */
  openReadOnly(): void {
    try {
      this.#store = new Store(openReadOnly(this.#path), this.#path, this.#settings);
    } catch {}
  }

  /** Appends crossings durably. */
  append(crossings: readonly NewCrossing[]): void {
    this.#write((store) => {
      if (crossings.length === 0 || this.#isStored(crossings)) return;
      const { name, recorded } = store.current;
      this.#attempt = { crossings, name, recorded };
      store.append(crossings);
    });
  }

  /** Copies the journals of another store durably. */
  adopt(other: Store): void {
    other.storePositions();
    this.#write((store) => store.adopt(other));
  }

  /** Copies the journals of the database in another folder durably, see `Store.adoptOlder`. */
  adoptOlder(folder: string): readonly StoredJournal[] {
    const other = openReadOnly(join(folder, fileName));
    let adopted: readonly StoredJournal[] = [];
    try {
      this.#write((store) => {
        adopted = store.adoptOlder(other);
      });
      return adopted;
    } finally {
      other.close();
    }
  }

  /** Repairs a damaged database once, and makes room on a full disk. */
  #write(work: (store: Store) => void): void {
    this.open();
    this.#settings.beforeUse('write');
    /* A disk that has become read-only, with which ext4 reports that data are stored, or a file that was removed. */
    accessSync(this.#path, constants.W_OK);
    for (let isRepaired = false; ; )
      try {
        if (this.#store) work(this.#store);
        return;
      } catch (error) {
        if (isDamage(error) && !isRepaired) this.#repair(error);
        else if (!isFull(error) || !this.#makeRoom()) throw error;
        isRepaired ||= isDamage(error);
      }
  }

  /** Whether the last attempt to append them has failed and they are in the database nevertheless, which was opened again. */
  #isStored(crossings: readonly NewCrossing[]): boolean {
    if (crossings !== this.#attempt?.crossings) return false;
    const { name, recorded } = this.#attempt;
    return (this.#store?.find(name)?.recorded ?? 0) > recorded;
  }

  /** Reads from the database, and repairs it if it is damaged, or has been unreadable for long. */
  read<Result>(work: () => Result): Result {
    try {
      this.#settings.beforeUse('read');
      const result = work();
      this.#unreadableSince = undefined;
      return result;
    } catch (error) {
      if (!this.#isWritable || !this.#isLost(error)) throw error;
      this.#repair(error);
      return work();
    }
  }

  /** Stores the positions if enough has been acknowledged. */
  acknowledged(crossings: number): void {
    this.#unstored.crossings += crossings;
    const { crossings: count, since } = this.#unstored;
    if (count >= storeAfter.crossings || performance.now() - since >= storeAfter.ms) this.clean();
  }

  /** Stores the positions, and removes what need not be kept, if the disk can be written. */
  clean(): void {
    if (!this.#isWritable || !this.#store) return;
    const { beforeUse, keepFor, log } = this.#settings;
    this.#unstored = { crossings: 0, since: performance.now() };
    try {
      beforeUse('write');
      this.#store.storePositions();
      this.#store.removeExpired(keepFor);
    } catch (error) {
      log.warn({ err: error }, 'position of the journal not stored; retried later');
    }
  }

  close(): void {
    this.#store?.close();
    this.#isWritable = false;
  }

  /** Whether a database should be repaired after an error: the content is wrong, or the disk has failed for long. */
  #isLost(error: unknown): boolean {
    if (isDamage(error)) return true;
    if (!isDiskError(error) || !existsSync(this.#path)) return false;
    this.#unreadableSince ??= performance.now();
    return this.#isGivenUp;
  }

  get #isGivenUp(): boolean {
    return performance.now() - (this.#unreadableSince ?? Number.POSITIVE_INFINITY) >= rereadFor;
  }

  /** Uses what can be read of a damaged database, in a new one. */
  #repair(cause: unknown): void {
    const before = this.#store;
    this.close();
    this.#store = undefined;
    try {
      repairDatabase(this.#path, this.#isGivenUp);
    } catch (error) {
      this.#isLost(error);
      throw error;
    }
    const store = Store.open(this.#path, this.#settings);
    this.#use(store, before);
    const lost = store.all.flatMap(({ name, lost: ranges }) => ranges.map((range) => [name, ...range]));
    this.#settings.log.error(
      { err: cause, file: `${this.#path}.damaged`, lost },
      'damaged journal set aside, a new one begun',
    );
  }

  /**
   * Uses a database that has been opened, with the positions that were not stored. Others are older than the stored ones: a
   * read-only disk may be read without its log. The crossings after them may have been removed.
   */
  #use(store: Store, before = this.#store): void {
    for (const { name, acknowledged, acknowledgedAt } of before?.all ?? []) {
      const journal = store.find(name);
      if (journal && journal.acknowledged < acknowledged)
        Object.assign(journal, { acknowledged, acknowledgedAt });
    }
    this.#store?.close();
    this.#store = store;
    this.#isWritable = true;
    this.#unreadableSince = undefined;
  }

  #makeRoom(): boolean {
    const isRemoved = this.#store?.removeOldest() ?? false;
    if (isRemoved)
      this.#settings.log.warn(
        'acknowledged crossings deleted to make room: a restored server cannot request them again',
      );
    return isRemoved;
  }
}
