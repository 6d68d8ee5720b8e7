import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs } from '@visitor-counter/domain/time';
import { Boots, type DatedBoot, type UndatedBoot } from './boots.ts';
import { Crossings, type NewCrossing } from './crossings.ts';
import { type Database, openDatabase } from './database.ts';
import { JournalDamaged, JournalOfAnotherDevice } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { journalIn, newJournal, type StoredJournal, storeJournal } from './stored-journal.ts';
import { pageSize } from './write-ahead-log.ts';

type StoreSettings = Pick<JournalSettings, 'boot' | 'serial' | 'limit' | 'beforeUse' | 'log'>;

/** Consecutive crossings of one journal. */
export interface Batch {
  readonly journal: string;
  readonly crossings: readonly NumberedCrossing[];
}

/**
 * The journals of one database, on the disk or in memory (`:memory:`): the present one, and those that have ended. Methods
 * throw the error of SQLite if the disk fails; then nothing has changed. After InDoubt the change may be in the database,
 * without effect here; making the same change again replaces it.
 *
 * Invariant: the sequences between the acknowledged one and the last one are in the database, or declared lost. A row that
 * is missing or that has changed is JournalDamaged, never skipped: an acknowledgement would cover it.
 */
export class Store {
  readonly #database: Database;
  readonly #boots: Boots;
  readonly #crossings: Crossings;
  /** The name of the present boot. */
  readonly #boot: string;
  #all: StoredJournal[];
  #current: StoredJournal;
  /** The instant of the last crossing of the present journal. */
  #recordedAt: EpochMs;

  /** The journals of a file, or of the memory for the path `:memory:`. Throws JournalOfAnotherDevice. */
  static open(path: string, settings: StoreSettings): Store {
    const { limit, beforeUse } = settings;
    const { database, isTailLost } = openDatabase(path, limit, () => beforeUse('sync'));
    try {
      const store = new Store(database, settings);
      const { name, recorded } = store.current;
      if (isTailLost) {
        store.begin(settings.serial);
        settings.log.error(
          { journal: name, recorded },
          'last crossings of the journal lost, a new one begun',
        );
      }
      return store;
    } catch (error) {
      if (isTailLost) database.close();
      else database.finish();
      throw error;
    }
  }

  /** Begins a journal of `serial` if there is none that has not ended. */
  constructor(database: Database, { boot, serial }: Pick<StoreSettings, 'boot' | 'serial'>) {
    this.#database = database;
    this.#boot = boot;
    this.#boots = new Boots(database);
    this.#crossings = new Crossings(database, this.#boots);
    this.#all = database
      .statement('select * from journal order by id')
      .all()
      .map((row) => {
        const journal = journalIn(row);
        if (!journal) throw new JournalDamaged('the row of a journal has changed');
        return { ...journal, recorded: Math.max(this.#crossings.last(journal.name), journal.recorded) };
      });
    const other = this.#all.find((journal) => journal.serial !== undefined && journal.serial !== serial);
    if (serial !== undefined && other) throw new JournalOfAnotherDevice(String(other.serial));
    this.#current = this.#all.find(({ ended }) => !ended) ?? this.begin(serial);
    this.#recordedAt = this.#crossings.lastInstant(this.#current.name);
  }

  get current(): Readonly<StoredJournal> {
    return this.#current;
  }

  get recordedAt(): EpochMs {
    return this.#recordedAt;
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
    const journal = newJournal(this.#nextId, serial);
    this.#database.transaction(() => {
      for (const other of this.#all) storeJournal(this.#database, { ...other, ended: true });
      storeJournal(this.#database, journal);
    });
    for (const other of this.#all) other.ended = true;
    this.#all.push(journal);
    this.#current = journal;
    return journal;
  }

  /** Appends crossings to the present journal, durably. */
  append(crossings: readonly NewCrossing[]): void {
    const { name, recorded } = this.#current;
    this.#change(() => {
      for (const [index, crossing] of crossings.entries()) {
        const { at, direction, uncertainty = 0, moment = null, isDated = true } = crossing;
        const boot = this.#boots.record(this.#boot, crossing, this.#recordedAt);
        const known = isDated || boot === null ? { at, moment: null } : { at: null, moment };
        this.#crossings.add(name, { sequence: recorded + 1 + index, boot, ...known, uncertainty, direction });
      }
    });
    this.#current.recorded += crossings.length;
    this.#recordedAt = crossings.findLast(({ isDated }) => isDated !== false)?.at ?? this.#recordedAt;
  }

  /** Copies the journals of another store into this one, as journals that have ended. */
  adopt(other: Store): void {
    const first = this.#nextId;
    const adopted = other.all
      .filter(({ recorded }) => recorded > 0)
      .map((journal, index) => ({ ...journal, id: first + index, ended: true }));
    this.#change(() => {
      const boots = new Map<number | null, number>();
      for (const journal of adopted) {
        storeJournal(this.#database, journal);
        for (const row of other.#crossings.rows(journal.name, 1, journal.recorded)) {
          const boot = other.#boots.get(row.boot);
          if (boot && !boots.has(boot.id)) boots.set(boot.id, this.#boots.add(boot));
          this.#crossings.add(journal.name, { ...row, boot: boots.get(row.boot) ?? null });
        }
      }
    });
    this.#all.push(...adopted);
  }

  /** See `Crossings`. */
  read(name: string, from: number, max: number): NumberedCrossing[] {
    return this.#crossings.read(name, from, max);
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
    const [first] = this.#crossings.rows(journal.name, 1, 1);
    const last = Math.min((first?.sequence ?? journal.recorded + 1) - 1, journal.acknowledged);
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
    this.#database.transaction(() => {
      for (const journal of this.#all) storeJournal(this.#database, journal);
    });
  }

  /** Removes acknowledged crossings up to a sequence, and a journal that has ended and of which nothing remains. */
  remove(journal: StoredJournal, through: number): void {
    const { name, id, ended, recorded, lost } = journal;
    const isEmpty = ended && through >= recorded && lost.length === 0;
    this.#database.transaction(() => {
      /* With its position: after a restart, nothing that is removed may seem to be pending. */
      storeJournal(this.#database, journal);
      this.#crossings.remove(name, through);
      if (isEmpty) this.#database.statement('delete from journal where id = ?').run(id);
    });
    if (isEmpty) this.#all = this.#all.filter((other) => other !== journal);
  }

  /** How many bytes the rows use; the database uses freed pages again. */
  get bytes(): number {
    const pages = (name: string) => Number(this.#database.pragma(name));
    return (pages('page_count') - pages('freelist_count')) * pageSize;
  }

  close(): void {
    this.#database.finish();
  }

  get #nextId(): number {
    return Math.max(0, ...this.#all.map(({ id }) => id)) + 1;
  }

  #pendingOf(journal: StoredJournal, max: number): NumberedCrossing[] {
    for (;;) {
      const next = journal.acknowledged + 1;
      if (next > journal.recorded) return [];
      const lost = journal.lost.find(([first, last]) => first <= next && next <= last);
      if (!lost) {
        const [row] = this.#crossings.rows(journal.name, next, 1);
        if (row?.sequence !== next) throw new JournalDamaged(`crossing ${next} is missing`);
        return this.read(journal.name, next, Math.min(max, journal.recorded - journal.acknowledged));
      }
      journal.acknowledged = lost[1];
    }
  }

  #change(work: () => void): void {
    const { known } = this.#boots;
    try {
      this.#database.transaction(work);
    } catch (error) {
      this.#boots.restore(known);
      throw error;
    }
  }
}
