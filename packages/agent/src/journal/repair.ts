import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { closeDatabase, openDatabase, pageSize } from './database.ts';
import { Salvage } from './salvage.ts';

/** The files of the last damaged database stay under these names. */
const damagedSuffix = '.damaged';
const repairedSuffix = '.repaired';

/**
 * Replaces a damaged database with one that has everything that can be read of it. A power cut at any moment leaves the
 * damaged one, or the complete repaired one for `finishRepair`. Throws if the disk cannot be written.
 */
export function repairDatabase(path: string): void {
  const [copy, template, building] = [`${path}.copy`, `${path}.template`, `${path}.building`];
  for (const file of [copy, template, building]) removeDatabase(file);
  copyReadable(path, copy);
  if (existsSync(`${path}-wal`)) copyReadable(`${path}-wal`, `${copy}-wal`);
  replaceSchema(copy, template);
  /* The first page in the write-ahead log may be damaged, too. */
  mergeLog(copy);
  replaceSchema(copy, template);
  const damaged = new DatabaseSync(copy);
  const { database: repaired } = openDatabase(building);
  try {
    new Salvage(damaged, statSync(copy).size, repaired).run();
  } finally {
    closeDatabase(repaired);
    damaged.close();
  }
  renameSync(building, path + repairedSuffix);
  finishRepair(path);
  for (const file of [copy, template]) removeDatabase(file);
}

/** Puts a complete repaired database in the place of the damaged one, also after a power cut. */
export function finishRepair(path: string): void {
  if (!existsSync(path + repairedSuffix)) return;
  syncFolder(path);
  for (const suffix of ['-wal', ''])
    if (existsSync(path + suffix)) renameSync(path + suffix, path + damagedSuffix + suffix);
  syncFolder(path);
  renameSync(path + repairedSuffix, path);
  syncFolder(path);
}

/** Removes the files of a database. */
function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Copies a file; what the disk cannot read is zero in the copy. */
function copyReadable(from: string, to: string): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w')];
  try {
    const { size } = statSync(from);
    const buffer = Buffer.alloc(pageSize);
    for (let position = 0; position < size; position += pageSize) {
      buffer.fill(0);
      try {
        readSync(source, buffer, 0, pageSize, position);
      } catch {}
      writeSync(target, buffer, 0, Math.min(pageSize, size - position), position);
    }
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Moves what can be read of the write-ahead log into the database. */
function mergeLog(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
  } finally {
    closeDatabase(database);
  }
}

/**
 * Replaces the header of a database and the pages of its schema, which every journal has at the same places: without them
 * SQLite reads nothing.
 */
function replaceSchema(path: string, template: string): void {
  const { database } = openDatabase(template);
  const pages = database.prepare(`select pageno from dbstat where name = 'sqlite_schema'`).all();
  closeDatabase(database);
  const [source, target] = [openSync(template, 'r'), openSync(path, 'r+')];
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
