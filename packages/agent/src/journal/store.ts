import type { DatabaseSync } from 'node:sqlite';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs } from '@visitor-counter/domain/time';
import type { DatedBoot, UndatedBoot } from './boot-times.ts';
import { Boots } from './boots.ts';
import { type CrossingRow, checksumOf, crossingRow, type NewCrossing, valuesOf } from './crossing-row.ts';
import {
  closeDatabase,
  closeQuietly,
  inTransaction,
  openDatabase,
  pageSize,
  pragma,
  Statements,
} from './database.ts';
import { JournalDamaged, JournalOfAnotherDevice } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { Journals, newJournal, type StoredJournal } from './journals.ts';

type StoreSettings = Pick<JournalSettings, 'boot' | 'serial' | 'limit' | 'log'>;

/** Consecutive crossings of one journal. */
export interface Batch {
  readonly journal: string;
  readonly crossings: readonly NumberedCrossing[];
}

/**
 * The journals of one database, on the disk or in memory (`:memory:`): the present one, and ended ones of which something
 * is not acknowledged yet. Methods throw the error of SQLite if the disk fails; then nothing has changed.
 *
 * Invariant: the sequences between the acknowledged one and the last one are in the database, or declared lost. A row that
 * is missing or that has changed is JournalDamaged, never skipped: an acknowledgement would cover it.
 */
export class Store {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #journals: Journals;
  readonly #boots: Boots;
  /** The name of the present boot. */
  readonly #boot: string;
  #all: StoredJournal[];
  #current: StoredJournal;
  /** The instant of the last crossing of the present journal. */
  #recordedAt: EpochMs = 0;

  /** The journals of a file, or of the memory for the path `:memory:`. Throws JournalOfAnotherDevice. */
  static open(path: string, settings: StoreSettings): Store {
    const { database, isTailLost } = openDatabase(path, settings.limit);
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
      closeQuietly(database);
      throw error;
    }
  }

  /** Begins a journal of `serial` if there is none that has not ended. */
  constructor(database: DatabaseSync, { boot, serial }: Pick<StoreSettings, 'boot' | 'serial'>) {
    this.#database = database;
    this.#boot = boot;
    this.#statements = new Statements(database);
    this.#journals = new Journals(database);
    this.#boots = new Boots(database);
    this.#all = this.#journals.read();
    const other = this.#all.find((journal) => journal.serial !== undefined && journal.serial !== serial);
    if (serial !== undefined && other) throw new JournalOfAnotherDevice(String(other.serial));
    this.#current = this.#all.find(({ ended }) => !ended) ?? this.begin(serial);
    this.#recordedAt = this.#lastInstant();
  }

  get current(): Readonly<StoredJournal> {
    return this.#current;
  }

  get recordedAt(): EpochMs {
    return this.#recordedAt;
  }

  /** In the order in which they should be delivered. */
  get all(): readonly Readonly<StoredJournal>[] {
    return this.#all;
  }

  get undatedBoots(): UndatedBoot[] {
    return this.#boots.undated;
  }

  find(name: string): StoredJournal | undefined {
    return this.#all.find((journal) => journal.name === name);
  }

  /** Ends the present journal, and begins another one, whose sequences start at 1. */
  begin(serial: string | undefined): StoredJournal {
    const journal = newJournal(serial, Math.max(0, ...this.#all.map(({ id }) => id)) + 1);
    inTransaction(this.#database, () => {
      for (const other of this.#all) this.#journals.store({ ...other, ended: true });
      this.#journals.add(journal);
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
        const { id: boot } = this.#boots.record(this.#boot, crossing, this.#recordedAt);
        const row = {
          sequence: recorded + 1 + index,
          boot,
          moment,
          at: isDated ? at : null,
          uncertainty,
          direction,
        };
        this.#insert(this.#current, name, row);
      }
    });
    this.#current.recorded += crossings.length;
    this.#recordedAt = crossings.findLast(({ isDated }) => isDated !== false)?.at ?? this.#recordedAt;
  }

  /** Moves everything that another store has not had acknowledged into this one, as journals that have ended. */
  adopt(other: Store): void {
    const adopted: StoredJournal[] = [];
    let id = Math.max(...this.#all.map((journal) => journal.id));
    this.#change(() => {
      for (const journal of other.all) {
        if (journal.acknowledged >= journal.recorded) continue;
        id += 1;
        const copy = { ...journal, id, ended: true, marks: [], ran: 0 };
        this.#journals.add(copy);
        const boots = new Map<number, number>();
        for (const row of other.#rows(journal, journal.acknowledged + 1, journal.recorded)) {
          const boot = other.#boots.get(row.boot);
          if (boot && !boots.has(boot.id)) boots.set(boot.id, this.#boots.add(boot).id);
          this.#insert(copy, copy.name, { ...row, boot: boots.get(row.boot) ?? row.boot });
        }
        adopted.push(copy);
      }
    });
    this.#all.push(...adopted);
  }

  /**
   * Returns at most `max` crossings with consecutive sequences, the first of them the first one from `from` on that the
   * database has. Ends before a crossing whose instant is not known. Throws JournalDamaged.
   */
  read(journal: Readonly<StoredJournal>, from: number, max: number): NumberedCrossing[] {
    const crossings: NumberedCrossing[] = [];
    for (const row of this.#rows(journal, from, max)) {
      const instant = this.#boots.instantOf(row);
      const next = (crossings.at(-1)?.sequence ?? row.sequence - 1) + 1;
      if (!instant || row.sequence !== next) break;
      crossings.push({ sequence: row.sequence, direction: row.direction, ...instant });
    }
    return crossings;
  }

  /** The next crossings of a journal that are not acknowledged; empty if there are none, or the next one has no instant. */
  pending(journal: StoredJournal, max: number): NumberedCrossing[] {
    for (;;) {
      const next = journal.acknowledged + 1;
      if (next > journal.recorded) return [];
      const lost = journal.lost.find(([first, last]) => first <= next && next <= last);
      if (lost) journal.acknowledged = lost[1];
      else {
        const [row] = this.#rows(journal, next, 1);
        if (row?.sequence !== next) throw new JournalDamaged(`crossing ${next} is missing`);
        return this.read(journal, next, max);
      }
    }
  }

  /** Lowers the position of a journal so that its next crossing is `from`; those that are no longer there are declared lost. */
  continueFrom(journal: StoredJournal, from: number): void {
    const first = this.first(journal) ?? journal.recorded + 1;
    const last = Math.min(first - 1, journal.acknowledged);
    if (from <= last)
      journal.lost = [...journal.lost.filter(([begin]) => begin < from || begin > last), [from, last]];
    journal.acknowledged = Math.min(journal.acknowledged, from - 1);
  }

  /** Stores when boots began, durably and once. */
  setBegins(boots: readonly DatedBoot[]): void {
    this.#change(() => this.#boots.setBegins(boots));
  }

  /** Stores the positions of all journals, and marks the present one if its last mark is `every` ms old. */
  mark(ran: number, marks: StoredJournal['marks'], every: number): void {
    const { acknowledged } = this.#current;
    const [, last] = marks.at(-1) ?? [];
    const isDue = acknowledged > 0 && (last === undefined || ran - last >= every);
    Object.assign(this.#current, { ran, marks: isDue ? [...marks, [acknowledged, ran]] : marks });
    inTransaction(this.#database, () => {
      for (const journal of this.#all) this.#journals.store(journal);
    });
  }

  /** Removes acknowledged crossings up to a sequence, but not the last one, by which the next one gets its sequence. */
  remove(journal: Readonly<StoredJournal>, through: number): void {
    const last = Math.min(through, journal.acknowledged, journal.recorded - 1);
    this.#change(() => {
      /* With its position: after a restart, nothing that is removed may seem to be pending. */
      this.#journals.store(journal);
      this.#statements.get('delete from crossing where journal = ? and sequence <= ?').run(journal.id, last);
      const [oldest] = this.#statements.get('select min(boot) as boot from crossing').all();
      if (typeof oldest?.['boot'] === 'number') this.#boots.removeBefore(oldest['boot']);
    });
  }

  /** Removes journals that have ended, of which everything is acknowledged. Those with lost sequences stay: reports name them. */
  removeEnded(): void {
    const removed = this.#all.filter(
      ({ ended, acknowledged, recorded, lost }) => ended && acknowledged >= recorded && lost.length === 0,
    );
    if (removed.length === 0) return;
    inTransaction(this.#database, () => {
      for (const { id } of removed) this.#journals.remove(id);
    });
    this.#all = this.#all.filter((journal) => !removed.includes(journal));
  }

  /** The first sequence of a journal that is in the database; undefined if there is none. */
  first(journal: Readonly<StoredJournal>): number | undefined {
    const sql = 'select min(sequence) as first from crossing where journal = ?';
    const first = this.#statements.get(sql).get(journal.id)?.['first'];
    return typeof first === 'number' ? first : undefined;
  }

  /** How many bytes the rows use; the database uses freed pages again. */
  get bytes(): number {
    const pages = (name: string) => Number(pragma(this.#database, name));
    return (pages('page_count') - pages('freelist_count')) * pageSize;
  }

  close(): void {
    closeDatabase(this.#database);
  }

  #change(work: () => void): void {
    try {
      inTransaction(this.#database, work);
    } catch (error) {
      this.#boots.reload();
      throw error;
    }
  }

  #insert({ id }: StoredJournal, name: string, row: CrossingRow): void {
    const values = valuesOf(row);
    this.#statements
      .get('insert into crossing values (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, ...values, checksumOf(name, values));
  }

  #rows({ id, name }: Readonly<StoredJournal>, from: number, max: number): CrossingRow[] {
    const sql = 'select * from crossing where journal = ? and sequence >= ? order by sequence limit ?';
    return this.#statements
      .get(sql)
      .all(id, from, max)
      .map((found) => {
        const row = crossingRow(name, found);
        if (!row) throw new JournalDamaged(`crossing ${String(found['sequence'])} has changed`);
        return row;
      });
  }

  /** The instant of the last crossing of the present journal that has one; 0 if none has. Checks the last row. */
  #lastInstant(): EpochMs {
    const { recorded } = this.#current;
    const rows = this.#rows(this.#current, Math.max(1, recorded - 999), 1_000);
    return rows.findLast(({ at }) => at !== null)?.at ?? 0;
  }
}

/** How many crossings of all its journals are not acknowledged. */
export function pendingIn({ all }: Store): number {
  return all.reduce((sum, { recorded, acknowledged }) => sum + recorded - acknowledged, 0);
}
