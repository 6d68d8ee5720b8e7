import type { DatabaseSync } from 'node:sqlite';
import { monotonicMs } from '../clock/time.ts';
import { Boots, bootRow } from './boots.ts';
import { crossingRow, type DatabaseRow } from './crossing-row.ts';
import { inTransaction, Statements } from './database.ts';
import { isDamage, isDiskError } from './journal-errors.ts';
import { identityIn, Journals, positionIn, type StoredJournal } from './journals.ts';
import { gapsIn, type LostRange } from './lost-ranges.ts';

/** The most reads that may fail: in a large database of which nothing can be read, each one fails. */
const mostFailures = 20_000;
/** Bytes of a row of `crossing`, at least. */
const smallestRow = 16;

/**
 * Moves everything that can be read of a damaged database to a new one. Every row is checked, so nothing is invented. Its
 * journals are ended: what has been lost at their end is not known, and a sequence must not be used again. What is missing
 * between the rows that are not acknowledged is declared lost.
 */
export class Salvage {
  readonly #damaged: Statements;
  readonly #repaired: DatabaseSync;
  readonly #statements: Statements;
  /** Bytes of the damaged database. */
  readonly #size: number;
  #failures = 0;

  constructor(damaged: DatabaseSync, size: number, repaired: DatabaseSync) {
    this.#size = size;
    this.#damaged = new Statements(damaged);
    this.#repaired = repaired;
    this.#statements = new Statements(repaired);
  }

  run(): void {
    const journals = this.#findJournals();
    inTransaction(this.#repaired, () => {
      for (const row of this.#all('select * from boot order by id')) this.#moveBoot(row);
      for (const journal of journals) this.#moveCrossings(journal);
      this.#addUnknownBoots();
      for (const journal of journals) new Journals(this.#repaired).add(this.#accountFor(journal));
    });
  }

  #findJournals(): StoredJournal[] {
    const found = new Map<number, StoredJournal>();
    for (const row of this.#all('select * from journal order by id')) {
      const journal = identityIn(row);
      if (journal) found.set(journal.id, journal);
    }
    for (const row of this.#all('select * from position order by journal')) {
      const position = positionIn(row);
      if (position) found.set(position.id, { serial: undefined, ...found.get(position.id), ...position });
    }
    return [...found.values()];
  }

  /** The rows of a table forwards and backwards, each until the first damage. */
  *#all(sql: string): Generator<DatabaseRow> {
    yield* this.#readable(sql, []);
    yield* this.#readable(`${sql} desc`, []);
  }

  *#readable(sql: string, values: readonly number[]): Generator<DatabaseRow, boolean> {
    try {
      yield* this.#damaged.get(sql).iterate(...values);
      return true;
    } catch (error) {
      if (!isDamage(error) && !isDiskError(error)) throw error;
      this.#failures += 1;
      return false;
    }
  }

  #moveBoot(row: DatabaseRow): void {
    if (bootRow(row)) this.#insert('boot', row);
  }

  /** First by scans, which do not compare keys; then what these have missed, by ever smaller ranges of sequences. */
  #moveCrossings(journal: StoredJournal): void {
    const move = (row: DatabaseRow) => {
      if (row['journal'] === journal.id && crossingRow(journal.name, row)) this.#insert('crossing', row);
    };
    const byKey = 'select * from crossing order by';
    for (const order of [`${byKey} journal, sequence`, `${byKey} journal desc, sequence desc`])
      for (const row of this.#readable(order, [])) move(row);
    const last = Math.max(journal.recorded, journal.acknowledged, this.#last(journal));
    const next = journal.acknowledged + 1;
    /* Beyond the last row that was found there may be as many as the database has room for. */
    const end = last + Math.ceil(this.#size / smallestRow);
    const missing = gapsIn([...this.#sequences(journal, next)], next, end);
    for (const range of missing) this.#moveRange(journal, range, move);
  }

  #moveRange(journal: StoredJournal, [first, last]: LostRange, move: (row: DatabaseRow) => void): void {
    if (this.#failures > mostFailures) return;
    const sql = 'select * from crossing where journal = ? and sequence between ? and ? order by sequence';
    const rows = this.#readable(sql, [journal.id, first, last]);
    let next = rows.next();
    for (; !next.done; next = rows.next()) move(next.value);
    if (next.value || first === last) return;
    const middle = Math.floor((first + last) / 2);
    this.#moveRange(journal, [first, middle], move);
    this.#moveRange(journal, [middle + 1, last], move);
  }

  /** Crossings without an instant whose boot cannot be read: its time is estimated again. */
  #addUnknownBoots(): void {
    const unknown = `select boot, max(moment) as last from crossing
      where at is null and boot not in (select id from boot) group by boot`;
    const boots = new Boots(this.#repaired);
    for (const { boot, last } of this.#statements.get(unknown).all()) {
      const nothing = { claimed: 0, after: 0, begin: null, uncertainty: 0 };
      boots.put({ id: Number(boot), name: `unknown ${boot}`, last: monotonicMs(Number(last)), ...nothing });
    }
  }

  /** The journal, ended, with what is lost. Without a readable position all of it is sent again. */
  #accountFor(journal: StoredJournal): StoredJournal {
    const { acknowledged, lost } = journal;
    const recorded = Math.max(journal.recorded, this.#last(journal));
    const gaps = gapsIn(this.#sequences(journal, acknowledged + 1), acknowledged + 1, recorded);
    return {
      ...journal,
      ended: true,
      recorded,
      lost: [...lost.filter(([first]) => first <= acknowledged), ...gaps],
    };
  }

  #last({ id }: StoredJournal): number {
    const sql = 'select max(sequence) as last from crossing where journal = ?';
    return Number(this.#statements.get(sql).get(id)?.['last'] ?? 0);
  }

  #insert(table: 'boot' | 'crossing', row: DatabaseRow): void {
    const values = Object.values(row);
    const sql = `insert or ignore into ${table} values (${values.map(() => '?').join(', ')})`;
    this.#statements.get(sql).run(...values);
  }

  *#sequences({ id }: StoredJournal, from = 1): Generator<number> {
    const sql = 'select sequence from crossing where journal = ? and sequence >= ? order by sequence';
    for (const { sequence } of this.#statements.get(sql).iterate(id, from)) yield Number(sequence);
  }
}
