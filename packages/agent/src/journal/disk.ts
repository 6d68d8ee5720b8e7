import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openReadOnly } from './database.ts';
import { isDamage, isDiskError } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { finishRepair, repairDatabase } from './repair.ts';
import { Store } from './store.ts';

/** The file of a journal in its folder. */
export const fileName = 'journal.sqlite';

/**
 * The database of a journal in a folder of the disk.
 *
 * Invariant: a file that may be readable is never replaced. A damaged one is repaired, and one that the disk has not been
 * able to read for `rereadFor` is set aside after everything readable of it has been copied.
 */
export class Disk {
  readonly #folder: string;
  readonly #settings: JournalSettings;
  #unreadableSince: number | undefined;

  constructor(folder: string, settings: JournalSettings) {
    this.#folder = folder;
    this.#settings = settings;
  }

  /** Opens the database; throws the error of the disk if it cannot be read or written now, and JournalOfAnotherDevice. */
  open(): Store {
    this.#settings.beforeUse('write');
    mkdirSync(this.#folder, { recursive: true });
    finishRepair(this.#path);
    return this.#opened();
  }

  /** The database of a disk that cannot be written; undefined if it cannot be read either. */
  openReadOnly(): Store | undefined {
    try {
      return new Store(openReadOnly(this.#path), this.#settings);
    } catch {
      return undefined;
    }
  }

  /** Throws EROFS if the disk has become read-only: ext4 then reports that data are stored. */
  assertWritable(): void {
    this.#settings.beforeUse('write');
    accessSync(this.#folder, constants.W_OK);
  }

  /** What can be read of a damaged database, in a new one. */
  repair(cause: unknown): Store {
    repairDatabase(this.#path);
    const store = Store.open(this.#path, this.#settings);
    const lost = store.all.flatMap((journal) => journal.lost.map((range) => [journal.name, ...range]));
    this.#settings.log.error(
      { err: cause, file: `${this.#path}.damaged`, lost },
      'damaged journal set aside, a new one begun',
    );
    return store;
  }

  /** Whether a failed read should be followed by a repair: the content is wrong, or the disk has failed for long. */
  isLost(error: unknown): boolean {
    if (isDamage(error)) return true;
    if (!isDiskError(error) || !existsSync(this.#path)) return false;
    this.#unreadableSince ??= performance.now();
    return performance.now() - this.#unreadableSince >= this.#settings.rereadFor;
  }

  /** The disk has been read. */
  isRead(): void {
    this.#unreadableSince = undefined;
  }

  #opened(): Store {
    try {
      const store = Store.open(this.#path, this.#settings);
      this.isRead();
      return store;
    } catch (error) {
      if (!this.isLost(error)) throw error;
      return this.repair(error);
    }
  }

  get #path(): string {
    return join(this.#folder, fileName);
  }
}
