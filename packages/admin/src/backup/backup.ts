import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { backupFolder } from '@visitor-counter/database/backup/backup-folder';
import { NothingToBackUpError, openBackup, recordBackup } from '@visitor-counter/database/backup/open-backup';
import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { reasonOf } from '@visitor-counter/service/errors';
import { makeFolder, publishFile } from '@visitor-counter/service/files';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, textOption } from '../command/command.ts';
import { type CommandContext, OperatorError } from '../command/context.ts';
import { checkArchive } from './read-archive.ts';
import { type Manifest, writeArchive } from './write-archive.ts';

const help = `
The services continue meanwhile. The backup is one tar file with all rows as they were at the moment when it began; only
its owner can read it. It is read again and checked before the command ends, and only then older ones are removed.
The database user needs no more than the right to read all tables.
JSON: {"file","bytes","createdAt","product","migrations","tables":{<name>:<rows>},"removed":[<file>],"seconds"}`;

export const backupCommand = command({
  name: 'backup',
  description: 'Back up the database into a file, and check it, while the services run.',
  options: {
    to: textOption('<folder>', 'the folder of the backups, else BACKUP_DIR'),
    keep: {
      value: '<n>',
      description: 'how many backups to keep in the folder, 1 to 10000',
      fallback: '14',
      kind: wholeNumber(1, 10_000),
    },
  },
  help,
  run: async (context, { to, keep }) => {
    const begin = performance.now();
    const folder = to === undefined ? backupFolder(context.env) : resolve(context.folder, to);
    const written = await writeBackup(context, folder).catch((error) => explain(error, folder));
    const { file, bytes, manifest } = written;
    const removed = await removeOlder(folder, keep, basename(file)).catch((error) => {
      throw new OperatorError(
        `the backup ${file} is complete, but older ones cannot be removed: ${reasonOf(error)}`,
      );
    });
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    const { createdAt, product, migrations } = manifest;
    const tables = Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows]));
    const crossings = (tables['crossing'] ?? 0).toLocaleString('en');
    const lines = [
      file,
      `${sizeText(bytes)}, ${crossings} crossings, ${manifest.tables.length} tables, read again and correct, ${seconds} s`,
      ...removed.map((older) => `removed ${older}`),
    ];
    const json = { file, bytes, createdAt, product, migrations, tables, removed, seconds };
    return { json, text: lines.join('\n') };
  },
});

async function writeBackup(
  { env }: CommandContext,
  folder: string,
): Promise<{ readonly file: string; readonly bytes: number; readonly manifest: Manifest }> {
  const url = await findDatabase(env);
  await using source = await openBackup(url);
  await makeFolder(folder, 0o700);
  await removeUnfinished(folder, Date.now());
  const takenAt = Date.now();
  const file = join(folder, nameOfBackup(takenAt));
  const unfinished = `${file}.unfinished`;
  try {
    await writeArchive(unfinished, source);
    const manifest = await checkArchive(unfinished);
    await publishFile(unfinished, file);
    const { size: bytes } = await stat(file);
    await recordBackup(url, takenAt);
    return { file, bytes, manifest };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function explain(error: unknown, folder: string): never {
  if (error instanceof NothingToBackUpError)
    throw new OperatorError('the database has no tables of this product: there is nothing to back up');
  if (isOfDisk(error))
    throw new OperatorError(
      `the backup cannot be written to ${folder}: ${error.message}. Make room there, or name another folder by --to or BACKUP_DIR. The backups from before are unchanged.`,
    );
  throw error;
}

/** Errors of a file that is open, such as that of a full disk, have no path; those of a connection have other codes. */
function isOfDisk(error: unknown): error is Error {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return false;
  return 'path' in error || /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS)$/.test(String(error.code));
}

/** The name of a backup that was taken at an instant (epoch ms): names in their order are in the order of time. */
function nameOfBackup(takenAt: number): string {
  return `visitor-counter-${new Date(takenAt).toISOString().replaceAll(/[-:.]/g, '')}.tar`;
}

const namePattern = /^visitor-counter-\d{8}T\d{9}Z\.tar$/;

/**
 * Removes all backups but the newest ones, and returns the removed files. Those that were taken after the `latest`, by a
 * clock that was ahead, count as the oldest: the latest backup is never removed. Other files are ignored.
 */
async function removeOlder(folder: string, keep: number, latest: string): Promise<string[]> {
  const found = (await readdir(folder))
    .filter((name) => namePattern.test(name))
    .sort()
    .reverse();
  const byAge = [...found.filter((name) => name <= latest), ...found.filter((name) => name > latest)];
  const older = byAge.slice(keep).map((name) => join(folder, name));
  /* Another backup that ends now may have removed some of them. */
  for (const file of older) await rm(file, { force: true });
  return older;
}

/** Removes unfinished files of backups that began more than a day ago. */
async function removeUnfinished(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^visitor-counter-\w+\.tar\.unfinished$/.test(name));
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    if (now - mtimeMs > 86_400_000) await rm(join(folder, name));
  }
}
