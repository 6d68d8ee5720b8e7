import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { copyJournals } from './copy-journals.ts';
import { Database, openDatabase } from './database.ts';
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
      repaired.transaction(() => void copyJournals(damaged, repaired, () => 1, { isGivenUp }));
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
