import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '@visitor-counter/service/errors';
import { processStat } from '@visitor-counter/service/process-stat';
import type { SystemUser } from './data-folder.ts';

/**
 * A folder belongs to the process whose identity is in this file, as long as that process runs. Without it a second
 * start would mistake the running server of the first for an orphaned one.
 */
const fileName = 'owner';

/** Another running process uses the folder. */
export class FolderTakenError extends Error {
  override readonly name = 'FolderTakenError';
  readonly code = 'folder_taken';
  /** The process that uses it. */
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(`${folder} is not free: process ${pid} is using it`);
    this.pid = pid;
  }
}

/**
 * Claims a folder for this process and returns a function that releases it. A claim of a process that no longer runs
 * is ignored; one of this process itself is reused. Throws FolderTakenError if another process uses it.
 */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, fileName);
  const mine = identity(process.pid);
  while (!(await writeOnce(file, mine))) {
    const owner = await readFile(file, 'utf8').catch(() => '');
    if (owner === mine) break;
    const pid = Number.parseInt(owner, 10);
    if (isAlive(pid) && identity(pid) === owner) {
      throw new FolderTakenError(folder, pid);
    }
    await rm(file, { force: true });
  }
  return () => rm(file, { force: true });
}

/** Distinguishes a process from a later one with the same pid, if /proc reports when it started. */
function identity(pid: number): string {
  const stat = processStat(pid);
  if (stat?.zombie) return 'ended';
  return stat === undefined ? `${pid}` : `${pid} ${stat.startTime}`;
}

/** Signal 0 only checks that a process exists; EPERM means that it exists and belongs to another user. */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Creates a file that only its owner can read, with its content, durably and atomically: no process sees it
 * incomplete, and if several try at the same time exactly one succeeds. Returns false if it exists already.
 */
export async function writeOnce(file: string, content: string): Promise<boolean> {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    await writeFile(unfinished, content, { flag: 'wx', mode: 0o600, flush: true });
    await link(unfinished, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** How long a fast shutdown may take before the server is sent SIGQUIT (ms). */
const cleanEnd = 10_000;
/** How long it may take in all (ms). */
const anyEnd = 20_000;

/**
 * Stops a server that still runs on a data folder because the process that started it was killed. Removes the
 * lock file of a server whose pid now belongs to another process. The caller has claimed the folder.
 *
 * It does so only if /proc shows the working folder of the process. Otherwise PostgreSQL decides: its own
 * check of the lock file also finds server processes that outlived their parent, so a lock file is never
 * removed on a guess.
 */
export async function stopOrphanedServer(dataFolder: string, user: SystemUser | undefined): Promise<void> {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (!(pid > 1)) return;
  const own = await realpath(dataFolder);
  const folder = await workingFolder(pid, user);
  if (folder === own) await end(pid, own, user);
  else if (folder !== undefined || processStat(pid)?.zombie) await rm(lockFile, { force: true });
}

/** SIGINT is PostgreSQL's fast shutdown; SIGQUIT ends one that hangs, and it recovers at its next start. */
async function end(pid: number, folder: string, user: SystemUser | undefined): Promise<void> {
  const begun = performance.now();
  let sent: NodeJS.Signals | undefined;
  while ((await workingFolder(pid, user)) === folder) {
    const waited = performance.now() - begun;
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
    if (codeOf(error) !== 'EACCES' || user === undefined) return undefined;
    const asked = spawnSync('readlink', [link], { ...user, cwd: '/', encoding: 'utf8' });
    return asked.status === 0 ? asked.stdout.trimEnd() : undefined;
  }
}
