import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import {
  backupFolder,
  checksumFile,
  copyEmbedded,
  writeChecksum,
} from '@visitor-counter/database/backup/backup-files';
import { dumpDatabase, recordBackup } from '@visitor-counter/database/backup/dump';
import { databaseUrl, dataFolder } from '@visitor-counter/database/embedded/find-database';
import { Refused, reasonOf } from '@visitor-counter/service/errors';
import { publishFile } from '@visitor-counter/service/files';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, textOption } from '../command/command.ts';

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
      const reason = `older ones cannot be removed: ${reasonOf(error)}`;
      throw new Refused(`the backup ${file} is complete, but ${reason}`);
    });
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    const done = `${(bytes / 1_000_000).toFixed(1)} MB, checked, ${seconds} s`;
    const text = [file, done, ...removed.map((older) => `removed ${older}`)].join('\n');
    return { json: { file, bytes, removed, seconds }, text };
  },
});

async function writeBackup(
  env: Environment,
  folder: string,
): Promise<{ readonly file: string; readonly bytes: number }> {
  const url = databaseUrl(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeUnfinished(folder);
  const takenAt = Date.now();
  /* The order of names is the order of time. */
  const name = `visitor-counter-${new Date(takenAt).toISOString().replaceAll(/[-:.]/g, '')}`;
  const file = join(folder, `${name}.${url === undefined ? 'tar' : 'dump'}`);
  const unfinished = `${file}.unfinished`;
  try {
    await writeFile(unfinished, '', { mode: 0o600 });
    if (url === undefined) await copyEmbedded(join(dataFolder(env), 'postgres'), unfinished);
    else await dumpDatabase(url, unfinished);
    await writeChecksum(unfinished, file);
    await publishFile(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  if (url !== undefined) await recordBackup(url, takenAt);
  return { file, bytes: (await stat(file)).size };
}

/** Errors of a connection have other system calls than those of a file, such as that of a full disk. */
function explain(error: unknown, folder: string): never {
  const isOfDisk = error instanceof Error && 'syscall' in error && error.syscall !== 'connect';
  if (!isOfDisk) throw error;
  throw new Refused(`the backup cannot be written to ${folder}: ${error.message}`);
}

/**
 * Removes all backups but the newest ones, and returns the removed files. Those that were taken after the `latest`, by a
 * clock that was ahead, count as the oldest: the latest backup is never removed. Other files are ignored.
 */
async function removeOlder(folder: string, keep: number, latest: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) =>
    /^visitor-counter-\d{8}T\d{9}Z\.(dump|tar)$/.test(name),
  );
  const newest = names.sort().reverse();
  const byAge = [...newest.filter((name) => name <= latest), ...newest.filter((name) => name > latest)];
  const older = byAge.slice(keep).map((name) => join(folder, name));
  /* Another backup that ends now may have removed some of them. */
  for (const file of older.flatMap((one) => [one, checksumFile(one)])) await rm(file, { force: true });
  return older;
}

/** Removes unfinished files of backups that began more than a day ago. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^visitor-counter-.*\.unfinished$/.test(name));
  for (const file of names.map((name) => join(folder, name)))
    if (Date.now() - (await stat(file)).mtimeMs > 86_400_000) await rm(file);
}
