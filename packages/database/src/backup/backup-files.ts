import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Refused } from '@visitor-counter/service/errors';
import { writeAtomically } from '@visitor-counter/service/files';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import { claimFolder, FolderTakenError, stopOrphanedServer } from '../embedded/claim.ts';
import { serverUser } from '../embedded/data-folder.ts';
import { embeddedName } from '../embedded/find-database.ts';
import { startEmbeddedServer } from '../embedded/server.ts';
import { withClient } from '../sql/open-client.ts';
import { outputOf } from './dump.ts';

export const backupSettings = {
  BACKUP_DIR: {
    kind: folder,
    otherwise: '`/var/lib/visitor-counter/backups` with the Debian package, else `backups` in the checkout',
    does: 'The folder into which `admin backup` writes, unless it is called with `--to`.',
  },
} satisfies Settings;

/** The folder of the backups. The launcher of the Debian package names its own one. */
export function backupFolder(env: Environment): string {
  const { BACKUP_DIR } = readSettings(backupSettings, env);
  return resolve(BACKUP_DIR ?? env['COUNTER_BACKUPS'] ?? resolve(import.meta.dirname, '../../../../backups'));
}

/** The file next to a backup with its SHA-256, as `sha256sum` writes it. */
export function checksumFile(file: string): string {
  return `${file}.sha256`;
}

/** Writes the checksum of a backup, which `written` has now, and will have the name `file`. */
export async function writeChecksum(written: string, file: string): Promise<void> {
  await writeAtomically(checksumFile(file), `${await sha256Of(written)}  ${basename(file)}\n`);
}

/** Whether a backup has its checksum; undefined if there is none. */
export async function hasChecksum(file: string): Promise<boolean | undefined> {
  const expected = await readFile(checksumFile(file), 'utf8').catch(() => undefined);
  return expected === undefined ? undefined : expected.startsWith(`${await sha256Of(file)} `);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** What belongs to an embedded PostgreSQL: its files, and the password of its user. */
const content = ['data', 'password'] as const;

/** Copies the files of an embedded PostgreSQL into a tar file. Throws Refused while it runs. */
export async function copyEmbedded(folder: string, file: string): Promise<void> {
  if (!existsSync(join(folder, 'data')))
    throw new Refused(
      `there is nothing to back up: DATABASE_URL is not set, and ${folder} has no PostgreSQL`,
    );
  await whileStopped(folder, async () => {
    await tar('--create', '--numeric-owner', '--file', file, '--directory', folder, ...content);
    await tar('--diff', '--numeric-owner', '--file', file, '--directory', folder);
  });
}

/**
 * Replaces the files of an embedded PostgreSQL by those of a copy, in which an epoch begins. If anything fails before that,
 * nothing has changed; after a power cut, restore again. `record` runs on the restored database. Throws Refused while it runs.
 */
export async function restoreEmbedded(
  folder: string,
  file: string,
  record: (url: string) => Promise<void>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await whileStopped(folder, async () => {
    const restored = join(folder, 'restored');
    await rm(restored, { recursive: true, force: true });
    await mkdir(restored, { mode: 0o700 });
    await tar('--extract', '--numeric-owner', '--file', file, '--directory', restored);
    const server = await startEmbeddedServer({ folder: restored });
    try {
      await record(server.url(embeddedName));
      await withClient(server.url(embeddedName), (client) => client.query('select begin_epoch()'));
    } finally {
      await server.stop();
    }
    for (const part of content) {
      const present = join(folder, part);
      if (existsSync(present)) await rename(present, join(restored, `${part}.replaced`));
      await rename(join(restored, part), present);
    }
    await rm(restored, { recursive: true, force: true });
  });
}

async function whileStopped(folder: string, work: () => Promise<void>): Promise<void> {
  const release = await claimFolder(folder).catch((error) => {
    if (!(error instanceof FolderTakenError)) throw error;
    throw new Refused(`process ${error.pid} runs the embedded PostgreSQL: stop it first`);
  });
  try {
    const data = join(folder, 'data');
    await stopOrphanedServer(data, await serverUser(data));
    await work();
  } finally {
    await release();
  }
}

async function tar(...args: readonly string[]): Promise<void> {
  await outputOf(spawn('tar', args));
}
