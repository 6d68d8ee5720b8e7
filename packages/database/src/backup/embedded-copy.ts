import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refused } from '@visitor-counter/service/errors';
import pg from 'pg';
import { claimFolder, FolderTakenError, stopOrphanedServer } from '../embedded/claim.ts';
import { replacedFolder, serverUser } from '../embedded/data-folder.ts';
import { embeddedName } from '../embedded/find-database.ts';
import { keptPassword, startEmbeddedServer } from '../embedded/server.ts';
import { withClient } from '../sql/create-database.ts';
import { outputOf } from './postgres-programs.ts';

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
 * nothing has changed. `record` runs on the restored database. Throws Refused while it runs.
 */
export async function restoreEmbedded(
  folder: string,
  file: string,
  record: (url: string) => Promise<void>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await whileStopped(folder, async () => {
    const [restored, data] = [join(folder, 'restored'), join(folder, 'data')];
    await rm(restored, { recursive: true, force: true });
    await mkdir(restored, { mode: 0o700 });
    await tar('--extract', '--numeric-owner', '--file', file, '--directory', restored);
    const password = pg.escapeLiteral(await keptPassword(folder));
    const server = await startEmbeddedServer({ folder: restored });
    try {
      await record(server.url(embeddedName));
      await withClient(server.url(embeddedName), async (client) => {
        await client.query('select begin_epoch()');
        await client.query(`alter role current_user password ${password}`);
      });
    } finally {
      await server.stop();
    }
    await replaceFolder(data, join(restored, 'data'));
    await rm(restored, { recursive: true, force: true });
  });
}

/** After a power cut between the two renames, the next start finds the old folder: see initialiseCluster. */
async function replaceFolder(data: string, restored: string): Promise<void> {
  const replaced = replacedFolder(data);
  if (existsSync(data)) {
    await rm(replaced, { recursive: true, force: true });
    await rename(data, replaced);
  }
  await rename(restored, data);
  await rm(replaced, { recursive: true, force: true });
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
