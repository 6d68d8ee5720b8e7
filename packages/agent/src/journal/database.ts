import { accessSync, constants } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import {
  DiskUnreadable,
  InDoubt,
  isBusy,
  isDamage,
  isReadOnly,
  isUnreadable,
  JournalDamaged,
} from './journal-errors.ts';
import { hasLostTransactions, logPages, pageSize, WriteAheadLog } from './write-ahead-log.ts';

/**
 * Every row has a checksum as its last column, because SQLite does not notice a changed byte within a value. A crossing has
 * the name of its journal, whose own row may be damaged.
 */
const tables = `
create table journal (
  id integer primary key, name text not null, serial text, ended integer not null, recorded integer not null,
  acknowledged integer not null, acknowledged_at integer not null, lost text not null, checksum integer not null
);
create table crossing (
  journal text not null, sequence integer not null, boot text, moment real, at integer not null,
  uncertainty integer not null, direction integer not null, checksum integer not null,
  primary key (journal, sequence)
) without rowid;`;

export type DatabaseRow = Readonly<Record<string, SQLOutputValue>>;

/** A connection to SQLite with statements that are prepared when they are used first. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #log: WriteAheadLog | undefined;

  constructor(path: string | URL, options: { readonly readOnly?: boolean } = {}) {
    this.#database = new DatabaseSync(path, options);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  statement(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  /** Adds a row by an SQL command up to the table's name, for example `insert into boot`. */
  add(sql: string, values: readonly SQLInputValue[]): void {
    const marks = Array(values.length + 1).fill('?');
    this.statement(`${sql} values (${marks.join()})`).run(...values, checksumOf(values));
  }

  pragma(name: string): unknown {
    return Object.values(this.#database.prepare(`pragma ${name}`).get() ?? {})[0];
  }

  /** Makes transactions durable from now on. */
  useLog(log: WriteAheadLog): void {
    this.#log = log;
  }

  /** Gives the log its final size. Returns whether it has it. */
  fillLog(): boolean {
    return this.#log?.fill() ?? false;
  }

  /** Runs `work` in a transaction, which begins when all before it are durable. Throws InDoubt if it has ended, but is not. */
  transaction(work: () => void): void {
    this.#log?.settle();
    this.exec('begin immediate');
    try {
      work();
      this.exec('commit');
    } catch (error) {
      try {
        if (this.#database.isTransaction) this.exec('rollback');
      } catch {}
      throw error;
    }
    try {
      this.#log?.sync();
    } catch (error) {
      throw new InDoubt(error);
    }
  }

  /** Closes it with a note that its log is complete, see `Opened`. */
  finish(): void {
    try {
      this.#log?.settle();
      this.exec('pragma user_version = 0');
    } catch {}
    this.close();
  }

  close(): void {
    try {
      this.#database.close();
      this.#log?.close();
    } catch {}
    this.#log = undefined;
  }
}

function checksumOf(values: readonly unknown[]): number {
  return crc32(JSON.stringify(values));
}

/** The values of a row without its checksum; undefined if a byte of it has changed on the disk. */
export function checkedValues(row: DatabaseRow): SQLOutputValue[] | undefined {
  const values = Object.values(row);
  const checksum = values.pop();
  return checksumOf(values) === checksum ? values : undefined;
}

interface Opened {
  readonly database: Database;
  /**
   * The last transactions are lost, nobody knows how many: their sequences must not be used again. The first transaction
   * that follows must see to that, before `fillLog`. Until it is durable the log is shorter than its final size, which says
   * the same to the next start.
   */
  readonly isTailLost: boolean;
}

/**
 * Opens the database of a journal, and creates its tables if it is new. A transaction is durable when it has ended, also
 * after a power cut; `beforeSync` is called before it is made so. What a killed process has written is made durable before
 * anything is read: otherwise it could be sent, and its sequences used again after a power cut.
 *
 * Throws the error of SQLite if the disk cannot be read or written, or another process has it open, and JournalDamaged.
 */
export function openDatabase(path: string, limit = 0, beforeSync = () => {}): Opened {
  const database = new Database(path);
  try {
    database.exec(`pragma page_size = ${pageSize}; pragma locking_mode = exclusive; pragma journal_mode = wal;
      pragma synchronous = normal; pragma wal_autocheckpoint = ${logPages}; pragma cache_size = 256`);
    if (limit > 0) database.exec(`pragma max_page_count = ${Math.ceil(limit / pageSize)}`);
    const frames = Number(database.statement('pragma wal_checkpoint(passive)').get()?.['log']);
    const wasOpen = database.pragma('user_version') === isOpen;
    const isTailLost = wasOpen && hasLostTransactions(`${path}-wal`, frames);
    if (isTailLost) database.exec('pragma wal_checkpoint(truncate)');
    if (database.statement('select 1 from sqlite_schema').get() === undefined)
      database.exec(`begin immediate; ${tables} commit`);
    if (schemaOf(database) !== schema) throw new JournalDamaged('the schema has changed');
    const check = database.pragma('quick_check(1)');
    if (isUnreadable(String(check))) throw new DiskUnreadable(String(check));
    if (check !== 'ok') throw new JournalDamaged(String(check));
    if (path !== ':memory:') database.useLog(new WriteAheadLog(`${path}-wal`, beforeSync));
    /* On a full disk a log of another size says nothing. */
    const isFilled = !isTailLost && database.fillLog();
    if (!wasOpen && isFilled)
      database.exec(`pragma user_version = ${isOpen}; pragma wal_checkpoint(passive)`);
    return { database, isTailLost };
  } catch (error) {
    database.close();
    const isHeaderWrong = isReadOnly(error) && canWrite(path);
    throw isDamage(error) || isHeaderWrong ? new JournalDamaged('the database cannot be read', error) : error;
  }
}

/** Whether this process may write a file; false on a read-only disk. */
function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The text of the tables as SQLite keeps it. A changed byte in it would give a column another name, or another type. */
const schema = tables.trim().replaceAll('create table', 'CREATE TABLE');

function schemaOf(database: Database): unknown {
  const kept = `select group_concat(sql, ';' || char(10)) || ';' as text from sqlite_schema where type = 'table'`;
  return database.statement(kept).get()?.['text'];
}

/** The value of `user_version` while a process has the database open. */
const isOpen = 1;

/** Opens a database that cannot be written, to read it. The folder of one on a read-only disk may have no log. */
export function openReadOnly(path: string): Database {
  try {
    return readable(path);
  } catch (error) {
    if (isBusy(error)) throw error;
    return readable(new URL(`${pathToFileURL(path)}?immutable=1`));
  }
}

function readable(path: string | URL): Database {
  const database = new Database(path, { readOnly: true });
  try {
    database.exec('pragma locking_mode = exclusive; select * from journal');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
