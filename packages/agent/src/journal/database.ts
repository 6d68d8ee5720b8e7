import { readFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDamage, JournalDamaged } from './journal-errors.ts';

/**
 * Every row has a checksum, because SQLite does not notice a changed byte within a value. `journal` and `position` both
 * have the name of a journal: one of them can be damaged.
 */
const tables = `
create table journal (id integer primary key, name text not null, serial text, checksum integer not null);
create table position (
  journal integer primary key, name text not null, ended integer not null, recorded integer not null,
  acknowledged integer not null,
  acknowledged_at integer not null, lost text not null, marks text not null, ran integer not null,
  checksum integer not null
);
create table boot (
  id integer primary key, name text not null, claimed real not null, after integer not null, last real,
  begin real, uncertainty integer not null, checksum integer not null
);
create table crossing (
  journal integer not null, sequence integer not null, boot integer not null, moment real, at integer,
  uncertainty integer not null, direction integer not null, checksum integer not null,
  primary key (journal, sequence)
) without rowid;`;

/** Small pages: fewer bytes reach the card for each crossing (5.8 KB instead of 11.3 with pages of 4,096 bytes). */
export const pageSize = 512;

interface Opened {
  readonly database: DatabaseSync;
  /**
   * The last transactions are lost, nobody knows how many: their sequences must not be used again. The first transaction
   * that follows must see to that: after it, the log seems to be whole.
   */
  readonly isTailLost: boolean;
}

/**
 * Opens the database of a journal, and creates its tables if it is new. A transaction is durable when it has ended, also
 * after a power cut (`synchronous = full`). What a killed process has written is made durable before anything is read:
 * otherwise it could be sent, and its sequences used again after a power cut.
 *
 * Throws the error of SQLite if the disk cannot be read or written, and JournalDamaged.
 */
export function openDatabase(path: string, limit = 0): Opened {
  const database = new DatabaseSync(path);
  try {
    database.exec(`pragma page_size = ${pageSize}; pragma locking_mode = exclusive; pragma journal_mode = wal;
      pragma synchronous = full`);
    if (limit > 0) database.exec(`pragma max_page_count = ${Math.ceil(limit / pageSize)}`);
    const frames = Number(database.prepare('pragma wal_checkpoint(passive)').get()?.['log']);
    const wasOpen = pragma(database, 'user_version') === isOpen;
    const isTailLost = wasOpen && (frames === 0 || hasLostTransactions(`${path}-wal`, frames));
    if (database.prepare('select 1 from sqlite_schema').get() === undefined)
      database.exec(`begin immediate; ${tables} commit`);
    const check = pragma(database, 'integrity_check(1)');
    if (check !== 'ok') throw new JournalDamaged(String(check));
    if (!wasOpen) database.exec(`pragma user_version = ${isOpen}; pragma wal_checkpoint(passive)`);
    return { database, isTailLost };
  } catch (error) {
    closeQuietly(database);
    throw isDamage(error) ? new JournalDamaged('the database cannot be read', error) : error;
  }
}

/** Opens a database that cannot be written, to read it. The folder of one on a read-only disk may have no log. */
export function openReadOnly(path: string): DatabaseSync {
  try {
    return readable(new DatabaseSync(path, { readOnly: true }));
  } catch {
    return readable(new DatabaseSync(new URL(`${pathToFileURL(path)}?immutable=1`), { readOnly: true }));
  }
}

function readable(database: DatabaseSync): DatabaseSync {
  try {
    database.exec('pragma locking_mode = exclusive; select * from journal');
    return database;
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
}

/** The value of `user_version` while a process has the database open. */
const isOpen = 1;

/** Closes a database with a note that its log is complete in it. */
export function closeDatabase(database: DatabaseSync): void {
  try {
    database.exec('pragma user_version = 0');
  } catch {}
  closeQuietly(database);
}

export function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {}
}

export function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
}

/**
 * Whether SQLite has taken a damaged place of the write-ahead log for its end. A power cut can tear the last transaction,
 * which nobody has heard of; each one before it was durable.
 */
function hasLostTransactions(path: string, frames: number): boolean {
  const log = readFileSync(path);
  const salt = log.toString('hex', 16, 24);
  let ended = 0;
  for (let at = logHeader + frames * logFrame; at + logFrame <= log.length; at += logFrame)
    if (log.toString('hex', at + 8, at + 16) === salt && log.readUInt32BE(at + 4) > 0) ended += 1;
  return ended > 1;
}

/** Bytes of the header of the log, and of a page in it. Offset 4 of a page is not 0 at the end of a transaction. */
const logHeader = 32;
const logFrame = 24 + pageSize;

/** Runs `work` in a transaction. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Statements that are prepared when they are used first. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}
