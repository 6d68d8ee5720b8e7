import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { Boots, type DatedBoot, type UndatedBoot } from './boots.ts';
import { copyJournals } from './copy-journals.ts';
import { type CrossingRow, firstSequence, type NewCrossing } from './crossings.ts';
import { type Database, openDatabase } from './database.ts';
import { JournalDamaged, JournalOfAnotherDevice } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { loadJournals, newJournal, nextPending, type StoredJournal, storeJournal } from './stored-journal.ts';

type StoreSettings = Pick<JournalSettings, 'boot' | 'serial' | 'limit' | 'log'>;

/** Consecutive crossings of one journal. */
export interface Batch {
  readonly journal: string;
  readonly crossings: readonly NumberedCrossing[];
}

/**
 * The journals of one database, on the disk or in memory (`:memory:`): the present one, and those that have ended. Methods
 * throw the error of SQLite if the disk fails; then nothing has changed.
 *
 * Invariant: the sequences between the acknowledged one and the last one are in the database, or declared lost. A row that
 * is missing or that has changed is JournalDamaged, never skipped: an acknowledgement would cover it.
 */
export class Store {
  readonly database: Database;
  /** The name of the present boot. */
  readonly #boot: string;
  #boots: Boots;
  #all: StoredJournal[];
  #current: StoredJournal;

  /** The journals of a file, or of the memory for the path `:memory:`. Throws JournalOfAnotherDevice. */
  static open(path: string, settings: StoreSettings): Store {
    const { database, isTailLost } = openDatabase(path, settings.limit);
    try {
      const store = new Store(database, settings);
      const { name, recorded } = store.current;
      if (isTailLost) {
        store.begin(settings.serial);
        const lost = { journal: name, recorded };
        settings.log.error(lost, 'last crossings of the journal lost, a new one begun');
      }
      return store;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Begins a journal of `serial` if there is none that has not ended. */
  constructor(database: Database, { boot, serial }: Pick<StoreSettings, 'boot' | 'serial'>) {
    this.database = database;
    this.#boot = boot;
    this.#boots = new Boots(database);
    this.#all = loadJournals(this.database);
    const other = this.#all.find((journal) => journal.serial !== null && journal.serial !== serial);
    if (serial !== undefined && other) throw new JournalOfAnotherDevice(String(other.serial));
    this.#current = this.#all.find(({ ended }) => !ended) ?? this.begin(serial);
  }

  get current(): Readonly<StoredJournal> {
    return this.#current;
  }

  /** In the order in which they should be delivered. */
  get all(): readonly StoredJournal[] {
    return this.#all;
  }

  /** How many crossings of all journals are not acknowledged. */
  get pending(): number {
    return this.#all.reduce((sum, { recorded, acknowledged }) => sum + recorded - acknowledged, 0);
  }

  get undatedBoots(): UndatedBoot[] {
    return this.#boots.undated;
  }

  find(name: string): StoredJournal | undefined {
    return this.#all.find((journal) => journal.name === name);
  }

  /** Ends the present journal, and begins another one, whose sequences start at 1. */
  begin(serial: string | undefined): StoredJournal {
    const journal = newJournal(Math.max(0, ...this.#all.map(({ id }) => id)) + 1, serial);
    this.database.transaction(() => {
      for (const other of this.#all) storeJournal(this.database, { ...other, ended: true });
      storeJournal(this.database, journal);
    });
    for (const other of this.#all) other.ended = true;
    this.#all.push(journal);
    this.#current = journal;
    return journal;
  }

  /** Appends crossings to the present journal, durably. */
  append(crossings: readonly NewCrossing[]): void {
    const { name, recorded, recordedAt } = this.#current;
    this.#change(() => {
      for (const [index, crossing] of crossings.entries()) {
        const { at, direction, uncertainty = 0, moment = null, isDated = true } = crossing;
        const boot = this.#boots.record(this.#boot, crossing, recordedAt);
        const [known, relative] = isDated || boot === null ? [at, null] : [null, moment];
        const row = [name, recorded + 1 + index, boot, relative, known, uncertainty, direction];
        this.database.add('insert into crossing', row);
      }
    });
    this.#current.recorded += crossings.length;
    const lastDated = crossings.findLast(({ isDated }) => isDated !== false);
    this.#current.recordedAt = lastDated?.at ?? recordedAt;
  }

  /** Copies the journals of another store into this one, as journals that have ended; repeating it changes nothing. */
  adopt(other: Store): void {
    other.storePositions();
    copyJournals(other.database, this.database);
    this.#boots = new Boots(this.database);
    this.#all.push(...loadJournals(this.database).filter(({ name }) => !this.find(name)));
  }

  /** The next crossings to deliver, of the first journal that has any whose instants are known. */
  next(max: number): Batch | undefined {
    for (const journal of this.#all) {
      const crossings = this.#pendingOf(journal, max);
      if (crossings.length > 0) return { journal: journal.name, crossings };
    }
    return undefined;
  }

  /** Lowers the position of a journal to before `from`; sequences that are no longer there are declared lost. */
  continueFrom(journal: StoredJournal, from: number): void {
    const last = Math.min(firstSequence(this.database, journal) - 1, journal.acknowledged);
    const others = journal.lost.filter(([begin, end]) => begin < from || end > last);
    if (from <= last) journal.lost = [...others, [from, last]];
    journal.acknowledged = Math.min(journal.acknowledged, from - 1);
  }

  /** Stores when boots began, durably and once. */
  setBegins(boots: readonly DatedBoot[]): void {
    this.#change(() => this.#boots.setBegins(boots));
  }

  /** Stores how far the journals are acknowledged. */
  storePositions(): void {
    this.database.transaction(() => {
      for (const journal of this.#all) storeJournal(this.database, journal);
    });
  }

  /** Forgets a journal whose row has been removed. */
  forget(journal: StoredJournal): void {
    this.#all = this.#all.filter((other) => other !== journal);
  }

  close(): void {
    this.database.finish();
  }

  /** At most `max` consecutive crossings after the acknowledged one, as far as their instants are known. */
  #pendingOf(journal: StoredJournal, max: number): NumberedCrossing[] {
    let next = nextPending(journal);
    if (next > journal.recorded) return [];
    const sql = 'select * from crossing where journal = ? and sequence >= ? order by sequence limit ?';
    const rows = this.database.rows<CrossingRow>(sql, journal.name, next, max);
    if (rows[0]?.sequence !== next) throw new JournalDamaged(`crossing ${next} is missing`);
    const crossings: NumberedCrossing[] = [];
    for (const row of rows) {
      const instant = this.#boots.instantOf(row);
      if (!instant || row.sequence !== next) break;
      crossings.push({ sequence: row.sequence, direction: row.direction, ...instant });
      next += 1;
    }
    return crossings;
  }

  #change(work: () => void): void {
    const { rows } = this.#boots;
    try {
      this.database.transaction(work);
    } catch (error) {
      this.#boots.rows = rows;
      throw error;
    }
  }
}
