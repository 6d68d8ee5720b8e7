import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkedValues, Database, type DatabaseRow, openDatabase } from './database.ts';
import { isDamage, isDiskError } from './journal-errors.ts';
import { gapsIn } from './lost-ranges.ts';
import { journalIn, newJournal, type StoredJournal, storeJournal } from './stored-journal.ts';
import { pageSize } from './write-ahead-log.ts';

const damagedSuffix = '.damaged';
const repairedSuffix = '.repaired';

/**
 * Replaces a damaged database with one that has everything that can be read of it. The damaged file keeps its content but
 * for its schema, under another name. A power cut at any moment leaves the damaged database, or the complete repaired one
 * for `finishRepair`. Throws if the disk cannot be written, or cannot be read now unless it `isGivenUp`.
 */
export function repairDatabase(path: string, isGivenUp: boolean): void {
  const fresh = path + repairedSuffix;
  for (const suffix of ['', '-wal', '-shm']) rmSync(fresh + suffix, { force: true });
  const { database: repaired } = openDatabase(fresh);
  try {
    repaired.exec('pragma wal_checkpoint(truncate)');
    replaceSchema(path, fresh, repaired);
    const damaged = new Database(path);
    try {
      damaged.exec('pragma locking_mode = exclusive');
      salvage(damaged, repaired, isGivenUp);
      /* Throws if the disk is full: the log does not move with the file. */
      repaired.exec('pragma wal_checkpoint(truncate)');
    } finally {
      damaged.close();
    }
  } finally {
    repaired.finish();
  }
  syncFolder(path);
  renameSync(path, path + damagedSuffix);
  finishRepair(path);
}

/** Puts a complete repaired database in the place of a damaged one that has been renamed, also after a power cut. */
export function finishRepair(path: string): void {
  if (existsSync(path) || !existsSync(path + repairedSuffix)) return;
  syncFolder(path);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${path}${damagedSuffix}-wal`);
  syncFolder(path);
  renameSync(path + repairedSuffix, path);
  syncFolder(path);
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Replaces the header of a database and the pages of its schema, which every journal has at the same places: without them
 * SQLite reads nothing.
 */
function replaceSchema(path: string, fresh: string, repaired: Database): void {
  const pages = repaired.statement(`select pageno from dbstat where name = 'sqlite_schema'`).all();
  const [source, target] = [openSync(fresh, 'r'), openSync(path, 'r+')];
  try {
    const page = Buffer.alloc(pageSize);
    for (const { pageno } of pages) {
      const position = (Number(pageno) - 1) * pageSize;
      readSync(source, page, 0, pageSize, position);
      /* With another change counter, SQLite gets the size of the database from the file. */
      if (position === 0) page.writeUInt32BE(page.readUInt32BE(changeCounter) + 1, changeCounter);
      writeSync(target, page, 0, pageSize, position);
    }
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Where the header of a database has the counter of its changes. */
const changeCounter = 24;

/**
 * Copies every row that can be read and is unchanged, so nothing is invented. The journals are ended: what has been lost at
 * their end is not known, and a sequence must not be used again. What is missing between the rows that are not acknowledged
 * is declared lost. A journal whose own row is lost is sent again as a whole.
 */
function salvage(damaged: Database, repaired: Database, isGivenUp: boolean): void {
  const journals = new Map<string, StoredJournal>();
  for (const row of readable(damaged, 'journal', isGivenUp)) {
    const journal = journalIn(row);
    if (journal) journals.set(journal.name, journal);
  }
  repaired.transaction(() => {
    for (const row of readable(damaged, 'crossing', isGivenUp)) copy(row, repaired);
    for (const { journal } of repaired.statement('select distinct journal from crossing').all()) {
      const [name, id] = [String(journal), Math.max(0, ...[...journals.values()].map((one) => one.id)) + 1];
      if (!journals.has(name)) journals.set(name, newJournal(id, undefined, name));
    }
    for (const journal of journals.values()) storeJournal(repaired, accountFor(journal, repaired));
  });
}

/** The primary key of each table. */
const keys = { journal: ['id'], crossing: ['journal', 'sequence'] };

/** The unchanged rows of a table, forwards and backwards, each until the first damage. */
function* readable(database: Database, table: keyof typeof keys, isGivenUp: boolean): Generator<DatabaseRow> {
  for (const direction of ['', ' desc'])
    try {
      const order = keys[table].map((column) => column + direction).join();
      for (const row of database.statement(`select * from ${table} order by ${order}`).iterate())
        if (checkedValues(row)) yield row;
      return;
    } catch (error) {
      if (!isDamage(error) && !(isGivenUp && isDiskError(error))) throw error;
    }
}

function copy(row: DatabaseRow, to: Database): void {
  const values = checkedValues(row);
  if (values) to.add('insert or replace into crossing', values);
}

/** The journal, ended, with what is lost of it. */
function accountFor(journal: StoredJournal, repaired: Database): StoredJournal {
  const { name, acknowledged } = journal;
  const sql = 'select sequence from crossing where journal = ? and sequence > ? order by sequence';
  const found = repaired.statement(sql).all(name, acknowledged);
  const sequences = found.map(({ sequence }) => Number(sequence));
  const recorded = Math.max(journal.recorded, acknowledged, sequences.at(-1) ?? 0);
  const before = journal.lost.filter(([first]) => first <= acknowledged);
  return {
    ...journal,
    ended: true,
    recorded,
    lost: [...before, ...gapsIn(sequences, acknowledged + 1, recorded)],
  };
}
