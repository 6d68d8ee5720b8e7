import { dirname } from 'node:path';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { copyJournals } from './copy-journals.ts';
import { type Database, openDatabase } from './database.ts';
import { InDoubt, JournalDamaged } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import type { LostRange } from './lost-ranges.ts';
import { readJournals } from './read-journals.ts';
import {
  type CrossingRow,
  chunk,
  crossingsFrom,
  crossingsIn,
  lastInstant,
  lastUntil,
  type NewCrossing,
  newJournal,
  rowOf,
  type StoredJournal,
  storeCrossing,
  storeJournal,
} from './rows.ts';
import { type DatedBoot, datedRow, type UndatedBoot, undatedBootsIn } from './undated-boots.ts';
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
 *
 * Invariant: no crossing is read before its instant is durable, so an instant never changes once it was sent.
 */
export class Store {
  readonly #database: Database;
  /** The name of the present boot. */
  readonly #boot: string;
  #all: StoredJournal[];
  #current: StoredJournal;
  /** The instant of the last crossing. */
  #recordedAt: EpochMs;

  /** The journals of a file, or of the memory for the path `:memory:`. */
  static open(path: string, settings: StoreSettings): Store {
    const { limit, beforeUse } = settings;
    const { database, isTailLost } = openDatabase(path, limit, () => beforeUse('sync'));
    try {
      const store = new Store(database, path, settings);
      const { name, recorded } = store.current;
      if (isTailLost) {
        store.begin(settings.serial);
        settings.log.error(
          { journal: name, recorded },
          'last crossings of the journal lost, a new one begun',
        );
      }
      database.fillLog();
      return store;
    } catch (error) {
      if (isTailLost) database.close();
      else database.finish();
      throw error;
    }
  }

  /**
   * Begins a journal of `serial` if there is none that has not ended. Throws ConfigurationError if there is one of another
   * device: the server would not recognise its acknowledged crossings under this serial number, and would request and count
   * them again.
   */
  constructor(database: Database, path: string, { boot, serial }: Pick<StoreSettings, 'boot' | 'serial'>) {
    this.#database = database;
    this.#boot = boot;
    this.#all = readJournals(database);
    const other = this.#all.find((journal) => journal.serial !== undefined && journal.serial !== serial);
    if (serial !== undefined && other) {
      const expected = `a journal of ${serial}: this one is of ${other.serial}, and would be counted twice`;
      throw new ConfigurationError('journal', dirname(path), expected);
    }
    this.#current = this.#all.find(({ ended }) => !ended) ?? this.begin(serial);
    this.#recordedAt = this.#lastInstant;
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

  /** Whether there are crossings whose instants are not known, or not known to be durable. */
  get hasUndated(): boolean {
    return this.#all.some(({ undatedFrom, recorded }) => undatedFrom <= recorded);
  }

  /** The boots of the crossings whose instants are not known, in order. */
  get undatedBoots(): UndatedBoot[] {
    return undatedBootsIn(this.#rowsToDate());
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
    return this.#use(journal);
  }

  #use(journal: StoredJournal): StoredJournal {
    for (const other of this.#all) other.ended = true;
    this.#all.push(journal);
    this.#current = journal;
    return journal;
  }

  /** Appends crossings to the present journal, durably. */
  append(crossings: readonly NewCrossing[]): void {
    const { name, recorded } = this.#current;
    const rows = crossings.map((crossing, index) => rowOf(crossing, recorded + 1 + index, this.#boot));
    this.#database.transaction(() => {
      for (const row of rows) storeCrossing(this.#database, name, row);
    });
    this.#current.recorded += crossings.length;
    const undated = rows.find(({ boot }) => boot !== null);
    if (undated) this.#current.undatedFrom = Math.min(this.#current.undatedFrom, undated.sequence);
    this.#recordedAt = rows.findLast(({ boot }) => boot === null)?.at ?? this.#recordedAt;
  }

  /**
   * Copies the journals of another store, with the positions that it has stored, as journals that have ended. If instants are
   * not known, the present journal ends as well: those of boots are estimated from the order of the rows, which must remain
   * that of time.
   */
  adopt(other: Store): void {
    const first = this.#nextId;
    let adopted: StoredJournal[] = [];
    let next: StoredJournal | undefined;
    this.#database.transaction(() => {
      adopted = copyJournals(other.#database, this.#database, () => first);
      if (!other.hasUndated) return;
      next = newJournal(first + adopted.length, this.#current.serial);
      storeJournal(this.#database, { ...this.#current, ended: true });
      storeJournal(this.#database, next);
    });
    this.#all.push(...adopted);
    if (next) this.#use(next);
  }

  /**
   * Copies the journals of another database, and returns the copies. They are older than those here, so they precede them.
   * One that is here already gets the crossings after those that are acknowledged, unless new ones are still appended to it.
   */
  adoptOlder(other: Database): readonly StoredJournal[] {
    const present = this.#all;
    const firstIdOf = (count: number) => Math.min(...present.map(({ id }) => id)) - count;
    let adopted: StoredJournal[] = [];
    try {
      this.#database.transaction(() => {
        adopted = copyJournals(other, this.#database, firstIdOf, { present });
      });
    } catch (error) {
      /* They are in the database, and the next transaction makes them durable. */
      if (error instanceof InDoubt) this.#add(adopted);
      throw error;
    }
    this.#add(adopted);
    return adopted;
  }

  #add(adopted: readonly StoredJournal[]): void {
    const names = new Set(adopted.map(({ name }) => name));
    const others = this.#all.filter(({ name }) => !names.has(name));
    this.#all = [...adopted, ...others].sort((one, another) => one.id - another.id);
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
    const [first] = crossingsIn(this.#database, journal.name, 1, 1);
    const last = Math.min((first?.sequence ?? journal.recorded + 1) - 1, journal.acknowledged);
    if (from <= last) {
      const isSeparate = ([begin, end]: LostRange) => begin > last || end < from;
      const joined = [[from, last], ...journal.lost.filter((range) => !isSeparate(range))].flat();
      journal.lost = [...journal.lost.filter(isSeparate), [Math.min(...joined), Math.max(...joined)]];
    }
    journal.acknowledged = Math.min(journal.acknowledged, from - 1);
  }

  /** Stores the instants of some crossings of these boots, durably; returns whether there are more. */
  determineInstants(boots: readonly DatedBoot[]): boolean {
    const journal = this.#all.find(({ undatedFrom, recorded }) => undatedFrom <= recorded);
    if (!journal) return false;
    const rows = crossingsIn(this.#database, journal.name, journal.undatedFrom, chunk);
    const dated = rows.map((row) => datedRow(row, boots));
    /* Also if nothing is left to change after an attempt in doubt: it makes that one durable. */
    this.#database.transaction(() => {
      for (const [index, row] of dated.entries())
        if (row !== rows[index]) storeCrossing(this.#database, journal.name, row);
    });
    const unknown = dated.find(({ boot }) => boot !== null);
    const next = rows.length < chunk ? Number.POSITIVE_INFINITY : journal.undatedFrom + chunk;
    journal.undatedFrom = unknown?.sequence ?? next;
    if (this.hasUndated) return !unknown;
    this.#recordedAt = this.#lastInstant;
    return false;
  }

  /** Stores how far the journals are acknowledged. */
  storePositions(): void {
    this.#database.transaction(() => {
      for (const journal of this.#all) storeJournal(this.#database, journal);
    });
  }

  /**
   * Removes acknowledged crossings that are `keepFor` ms older than the newest one. The clock of a unit may be wrong by any
   * amount, but instants of crossings are right.
   */
  removeExpired(keepFor: number): void {
    const newest = Math.max(this.recordedAt, ...this.#all.map(({ acknowledgedAt }) => acknowledgedAt));
    for (const journal of this.#all)
      for (;;) {
        const last = lastUntil(this.#database, journal.name, lastRemovable(journal), newest - keepFor);
        if (last === 0 || !this.#remove(journal, last)) break;
      }
  }

  /** Removes the older half of the acknowledged crossings of a journal; returns whether there were any. */
  removeOldest(): boolean {
    for (const journal of this.#all) {
      const [first] = crossingsIn(this.#database, journal.name, 1, 1);
      const last = lastRemovable(journal);
      if (!first || first.sequence > last) continue;
      if (this.#remove(journal, Math.floor((first.sequence + last) / 2))) return true;
    }
    return false;
  }

  /**
   * Removes acknowledged crossings up to a sequence, and a journal that has ended and of which nothing remains. Returns whether
   * there were any.
   */
  #remove(journal: StoredJournal, through: number): boolean {
    const { name, id, ended, recorded, lost } = journal;
    const isEmpty = ended && through >= recorded && lost.length === 0;
    const remove = this.#database.statement('delete from crossing where journal = ? and sequence <= ?');
    let removed = 0;
    this.#database.transaction(() => {
      /* With its position: after a restart, nothing that is removed may seem to be pending. */
      storeJournal(this.#database, journal);
      removed = Number(remove.run(name, through).changes);
      if (isEmpty) this.#database.statement('delete from journal where id = ?').run(id);
    });
    if (isEmpty) this.#all = this.#all.filter((other) => other !== journal);
    return removed > 0;
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

  /** That of the present journal, or of all while it has none. */
  get #lastInstant(): EpochMs {
    const last = ({ name }: StoredJournal) => lastInstant(this.#database, name);
    return last(this.#current) || Math.max(...this.#all.map(last));
  }

  /** The rows whose instants are not known, others between them, and the last one before them. */
  *#rowsToDate(): Generator<CrossingRow> {
    for (const { name, undatedFrom, recorded } of this.#all)
      yield* crossingsFrom(this.#database, name, Math.min(undatedFrom - 1, recorded));
  }

  #pendingOf(journal: StoredJournal, max: number): NumberedCrossing[] {
    for (;;) {
      const next = journal.acknowledged + 1;
      const last = Math.min(journal.recorded, journal.undatedFrom - 1);
      if (next > last) return [];
      const lost = journal.lost.find(([first, last]) => first <= next && next <= last);
      if (!lost) {
        const rows = crossingsIn(
          this.#database,
          journal.name,
          next,
          Math.min(max, last - journal.acknowledged),
        );
        if (rows[0]?.sequence !== next) throw new JournalDamaged(`crossing ${next} is missing`);
        const end = rows.findIndex(({ sequence }, index) => sequence !== next + index);
        return (end === -1 ? rows : rows.slice(0, end)).map(({ sequence, direction, at, uncertainty }) => ({
          sequence,
          direction,
          at,
          uncertainty,
        }));
      }
      journal.acknowledged = lost[1];
    }
  }
}

/** Not the last one of the present journal: a source that plays people again continues after its instant. */
function lastRemovable({ ended, acknowledged, recorded }: StoredJournal): number {
  return ended ? acknowledged : Math.min(acknowledged, recorded - 1);
}
