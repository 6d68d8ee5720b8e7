import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { instantOf, latest } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import { type CrossingRow, Crossings, type NewCrossing } from './crossings.ts';
import { type Database, openDatabase } from './database.ts';
import { JournalDamaged, JournalOfAnotherDevice } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { journalIn, newJournal, type StoredJournal, storeJournal } from './stored-journal.ts';
import { pageSize } from './write-ahead-log.ts';

type StoreSettings = Pick<JournalSettings, 'boot' | 'serial' | 'limit' | 'beforeUse' | 'log'>;

/** A boot with journaled crossings whose instants are not known yet. */
export interface UndatedBoot {
  readonly boot: string;
  /** The boot's begin according to its own clock, which was never set. */
  readonly claimed: EpochMs;
  /** The moment of its last crossing. */
  readonly last: MonotonicMs;
  /** The latest instant that is known to be before its begin; 0 when there is none. */
  readonly after: EpochMs;
}

export interface DatedBoot extends BootTime {
  readonly boot: string;
}

/** Crossings that are read, or whose instants are stored, at a time. */
const chunk = 1_000;

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
    this.#crossings = new Crossings(database);
    this.#all = database
      .statement('select * from journal order by id')
      .all()
      .map((row) => {
        const journal = journalIn(row);
        if (!journal) throw new JournalDamaged('the row of a journal has changed');
        const recorded = Math.max(this.#crossings.last(journal.name), journal.recorded);
        const undatedFrom = this.#crossings.firstUndated(journal.name, journal.acknowledged);
        return { ...journal, recorded, undatedFrom };
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

  /** Whether there are crossings whose instants are not known, or not known to be durable. */
  get hasUndated(): boolean {
    return this.#all.some(({ undatedFrom, recorded }) => undatedFrom <= recorded);
  }

  /** The boots of the crossings whose instants are not known, in order. */
  get undatedBoots(): UndatedBoot[] {
    const boots = new Map<string, UndatedBoot>();
    let known = 0;
    for (const { name, undatedFrom, recorded } of this.#all)
      for (const { boot, moment, at, uncertainty } of this.#rowsFrom(
        name,
        Math.min(undatedFrom - 1, recorded),
      )) {
        if (boot === null || moment === null) {
          known = Math.max(known, at - uncertainty);
          continue;
        }
        /* The known instant may be of the same boot, so it is a bound for this crossing and not for the begin. */
        const { claimed = at - moment, after = 0, last = moment } = boots.get(boot) ?? {};
        boots.set(boot, {
          boot,
          claimed: Math.min(claimed, at - moment),
          last: latest(last, moment),
          after: Math.max(after, known - moment),
        });
      }
    return [...boots.values()];
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
    const rows = crossings.map(
      ({ at, direction, uncertainty = 0, moment = null, isDated = true }, index): CrossingRow => ({
        sequence: recorded + 1 + index,
        ...(isDated || moment === null ? { boot: null, moment: null } : { boot: this.#boot, moment }),
        at,
        uncertainty,
        direction,
      }),
    );
    this.#database.transaction(() => {
      for (const row of rows) this.#crossings.add(name, row);
    });
    this.#current.recorded += crossings.length;
    const undated = rows.find(({ boot }) => boot !== null);
    if (undated) this.#current.undatedFrom = Math.min(this.#current.undatedFrom, undated.sequence);
    this.#recordedAt = rows.findLast(({ boot }) => boot === null)?.at ?? this.#recordedAt;
  }

  /**
   * Copies the journals of another store into this one, as journals that have ended. If instants are not known, the present
   * journal ends as well: those of boots are estimated from the order of the rows, which must remain that of time.
   */
  adopt(other: Store): void {
    const first = this.#nextId;
    const adopted = other.all
      .filter(({ recorded }) => recorded > 0)
      .map((journal, index) => ({ ...journal, id: first + index, ended: true }));
    const next = other.hasUndated ? newJournal(first + adopted.length, this.#current.serial) : undefined;
    this.#database.transaction(() => {
      if (next) {
        storeJournal(this.#database, { ...this.#current, ended: true });
        storeJournal(this.#database, next);
      }
      for (const journal of adopted) {
        storeJournal(this.#database, journal);
        for (const row of other.#rowsFrom(journal.name, 1)) this.#crossings.add(journal.name, row);
      }
    });
    this.#all.push(...adopted);
    if (!next) return;
    this.#all.push(next);
    this.#current.ended = true;
    this.#current = next;
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

  /** Stores the instants of the crossings of these boots, durably. */
  determineInstants(boots: readonly DatedBoot[]): void {
    const times = new Map<string | null, BootTime>(boots.map((time) => [time.boot, time]));
    for (const journal of this.#all)
      while (journal.undatedFrom <= journal.recorded) {
        const rows = this.#crossings.rows(journal.name, journal.undatedFrom, chunk);
        /* Also if nothing is left to change after an attempt in doubt: it makes that one durable. */
        this.#database.transaction(() => {
          for (const row of rows) {
            const time = times.get(row.boot);
            if (!time || row.moment === null) continue;
            const known = { at: instantOf(row.moment, time.offset), uncertainty: time.uncertainty };
            this.#crossings.add(journal.name, { ...row, boot: null, moment: null, ...known });
          }
        });
        const unknown = rows.find(({ boot }) => boot !== null && !times.has(boot));
        const isAll = rows.length < chunk;
        const last = rows.at(-1)?.sequence ?? 0;
        journal.undatedFrom = unknown?.sequence ?? (isAll ? Number.POSITIVE_INFINITY : last + 1);
        if (unknown) break;
      }
    this.#recordedAt = this.#crossings.lastInstant(this.#current.name);
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
      const last = Math.min(journal.recorded, journal.undatedFrom - 1);
      if (next > last) return [];
      const lost = journal.lost.find(([first, last]) => first <= next && next <= last);
      if (!lost) {
        const [row] = this.#crossings.rows(journal.name, next, 1);
        if (row?.sequence !== next) throw new JournalDamaged(`crossing ${next} is missing`);
        return this.read(journal.name, next, Math.min(max, last - journal.acknowledged));
      }
      journal.acknowledged = lost[1];
    }
  }

  /** The rows of a journal from a sequence on. */
  *#rowsFrom(name: string, from: number): Generator<CrossingRow> {
    for (let rows = this.#crossings.rows(name, from, chunk); rows.length > 0; ) {
      yield* rows;
      rows = this.#crossings.rows(name, (rows.at(-1)?.sequence ?? 0) + 1, chunk);
    }
  }
}
