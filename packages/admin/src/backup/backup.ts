import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { backupFolder, checksumFile, writeChecksum } from '@visitor-counter/database/backup/backup-files';
import { BackupRefused, dumpDatabase, recordBackup } from '@visitor-counter/database/backup/dump';
import { copyEmbedded } from '@visitor-counter/database/backup/embedded-copy';
import { MissingPrograms, ProgramFailed } from '@visitor-counter/database/backup/postgres-programs';
import { databaseUrl, dataFolder } from '@visitor-counter/database/embedded/find-database';
import { reasonOf } from '@visitor-counter/service/errors';
import { makeFolder, publishFile } from '@visitor-counter/service/files';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, textOption } from '../command/command.ts';
import { OperatorError } from '../command/context.ts';

const help = `
Runs pg_dump while the services continue, reads the list of the dump again, and writes its SHA-256 to a file next to it. Only
its owner can read it. Older ones are removed after that. The database user needs no more than the right to read all tables.
With the embedded PostgreSQL it copies the folder into a tar file: stop the server first.
JSON: {"file","bytes","removed":[<file>],"seconds"}`;

export const backupCommand = command({
  name: 'backup',
  description: 'Back up the database into a file, and check it.',
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
    const { file, bytes } = await writeBackup(context.env, folder).catch((error) => explain(error, folder));
    const removed = await removeOlder(folder, keep, basename(file)).catch((error) => {
      throw new OperatorError(
        `the backup ${file} is complete, but older ones cannot be removed: ${reasonOf(error)}`,
      );
    });
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    const size =
      bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
    const lines = [file, `${size}, checked, ${seconds} s`, ...removed.map((older) => `removed ${older}`)];
    return { json: { file, bytes, removed, seconds }, text: lines.join('\n') };
  },
});

async function writeBackup(
  env: Environment,
  folder: string,
): Promise<{ readonly file: string; readonly bytes: number }> {
  const url = databaseUrl(env);
  await makeFolder(folder, 0o700);
  await removeUnfinished(folder, Date.now());
  const takenAt = Date.now();
  const file = join(folder, nameOfBackup(takenAt, url === undefined ? 'tar' : 'dump'));
  const unfinished = `${file}.unfinished`;
  try {
    await writeFile(unfinished, '', { mode: 0o600 });
    if (url === undefined) await copyEmbedded(join(dataFolder(env), 'postgres'), unfinished);
    else await dumpDatabase(url, unfinished);
    await writeChecksum(unfinished, file);
    await publishFile(unfinished, file);
    if (url !== undefined) await recordBackup(url, takenAt);
    return { file, bytes: (await stat(file)).size };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function explain(error: unknown, folder: string): never {
  if (error instanceof BackupRefused || error instanceof MissingPrograms)
    throw new OperatorError(error.message);
  if (error instanceof ProgramFailed || isOfDisk(error))
    throw new OperatorError(
      `the backup cannot be written to ${folder}: ${error.message}. The backups from before are unchanged.`,
    );
  throw error;
}

/** Errors of a file that is open, such as that of a full disk, have no path; those of a connection have other codes. */
function isOfDisk(error: unknown): error is Error {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return false;
  return 'path' in error || /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS)$/.test(String(error.code));
}

/** The name of a backup that was taken at an instant (epoch ms): names in their order are in the order of time. */
function nameOfBackup(takenAt: number, ending: 'dump' | 'tar'): string {
  return `visitor-counter-${new Date(takenAt).toISOString().replaceAll(/[-:.]/g, '')}.${ending}`;
}

const namePattern = /^visitor-counter-\d{8}T\d{9}Z\.(dump|tar)$/;

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
  for (const file of older.flatMap((one) => [one, checksumFile(one)])) await rm(file, { force: true });
  return older;
}

/** Removes unfinished files of backups that began more than a day ago. */
async function removeUnfinished(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^visitor-counter-.*\.unfinished$/.test(name));
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    if (now - mtimeMs > 86_400_000) await rm(join(folder, name));
  }
}
