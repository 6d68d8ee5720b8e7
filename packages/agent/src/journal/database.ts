import { existsSync, readFileSync } from 'node:fs';
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

/**
 * Opens the database of a journal, and creates its tables if it is new. A transaction is durable when it has ended, also
 * after a power cut (`synchronous = full`). What a killed process has written is made durable before anything is read:
 * otherwise it could be sent, and its sequences used again after a power cut.
 *
 * Throws the error of SQLite if the disk cannot be read or written, and JournalDamaged.
 */
export function openDatabase(path: string, limit = 0): DatabaseSync {
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined;
  const database = new DatabaseSync(path);
  try {
    database.exec(`pragma page_size = ${pageSize}; pragma locking_mode = exclusive; pragma journal_mode = wal;
      pragma synchronous = full`);
    if (limit > 0) database.exec(`pragma max_page_count = ${Math.ceil(limit / pageSize)}`);
    checkLog(database, log);
    /* Now the database itself says that it is open, even if the log is lost. */
    database.exec(`pragma user_version = ${isOpen}; pragma wal_checkpoint(truncate)`);
    if (database.prepare('select 1 from sqlite_schema').get() === undefined)
      database.exec(`begin immediate; ${tables} commit`);
    const check = pragma(database, 'integrity_check(1)');
    if (check !== 'ok') throw new JournalDamaged(String(check));
    return database;
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

function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {}
}

export function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
}

/**
 * Throws JournalDamaged if the write-ahead log is missing after a crash, or has a transaction that SQLite has not
 * recovered: it takes a damaged place for the end.
 */
function checkLog(database: DatabaseSync, log: Buffer | undefined): void {
  if (log === undefined) {
    if (pragma(database, 'user_version') === isOpen) throw new JournalDamaged('its log is missing');
    return;
  }
  const recovered = Number(database.prepare('pragma wal_checkpoint(passive)').get()?.['log'] ?? 0);
  const salt = log.toString('hex', logHeader + 8, logHeader + 16);
  for (let at = logHeader + recovered * logFrame; at + logFrame <= log.length; at += logFrame) {
    const ofThisLog = log.toString('hex', at + 8, at + 16) === salt;
    if (ofThisLog && log.readUInt32BE(at + 4) > 0)
      throw new JournalDamaged('its log cannot be read to the end');
  }
}

/** Bytes of the header of a write-ahead log, and of a page in it. Offset 4 of a page is not 0 at the end of a transaction. */
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
