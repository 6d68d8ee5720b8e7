import { spawnSync } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processStat } from './claim.ts';
import type { SystemUser } from './data-folder.ts';

/** How long a fast shutdown may take before the server is sent SIGQUIT (ms). */
const cleanEnd = 10_000;
/** How long it may take in all (ms). */
const anyEnd = 20_000;

/**
 * Stops a server that still runs on a data folder because the process that started it was killed, and removes the
 * lock file of one whose pid now belongs to another process. The caller has claimed the folder.
 *
 * Only if /proc shows the working folder of the process. Otherwise PostgreSQL decides: its own check of the lock file
 * also finds server processes that outlived their parent, so a lock file is never removed on a guess.
 */
export async function stopOrphanedServer(dataFolder: string, user: SystemUser | undefined): Promise<void> {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (!(pid > 1)) return;
  const own = await realpath(dataFolder);
  const folder = await workingFolder(pid, user);
  if (folder === own) await end(pid, own, user);
  else if (folder !== undefined || (await processStat(pid))?.zombie) await rm(lockFile, { force: true });
}

/** SIGINT is PostgreSQL's fast shutdown; SIGQUIT ends one that hangs, and it recovers at its next start. */
async function end(pid: number, folder: string, user: SystemUser | undefined): Promise<void> {
  const begun = Date.now();
  let sent: NodeJS.Signals | undefined;
  while ((await workingFolder(pid, user)) === folder) {
    const waited = Date.now() - begun;
    if (waited > anyEnd)
      throw new Error(`PostgreSQL (process ${pid}), left behind in ${folder}, does not end`);
    const signal = waited > cleanEnd ? 'SIGQUIT' : 'SIGINT';
    if (signal !== sent) process.kill(pid, signal);
    sent = signal;
    await delay(20);
  }
}

/**
 * The working folder of a process; undefined if it has ended or the folder is unknown. A confined root, as in a
 * container, may not read it for processes of other users, but their own user always may.
 */
async function workingFolder(pid: number, user: SystemUser | undefined): Promise<string | undefined> {
  const link = `/proc/${pid}/cwd`;
  try {
    return await readlink(link);
  } catch (error) {
    const refused = error instanceof Error && 'code' in error && error.code === 'EACCES';
    if (!refused || user === undefined) return undefined;
    const asked = spawnSync('readlink', [link], { ...user, cwd: '/', encoding: 'utf8' });
    return asked.status === 0 ? asked.stdout.trimEnd() : undefined;
  }
}
