import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

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
  const mine = await identity(process.pid);
  while (!(await writeOnce(file, mine))) {
    const owner = await readFile(file, 'utf8').catch(() => '');
    if (owner === mine) break;
    const pid = Number.parseInt(owner, 10);
    if (isAlive(pid) && (await identity(pid)) === owner) {
      throw new FolderTakenError(folder, pid);
    }
    await rm(file, { force: true });
  }
  return () => rm(file, { force: true });
}

/** Distinguishes a process from a later one with the same pid, if /proc reports when it started. */
async function identity(pid: number): Promise<string> {
  const stat = await processStat(pid);
  if (stat?.zombie) return 'ended';
  return stat === undefined ? `${pid}` : `${pid} ${stat.startTime}`;
}

/** Signal 0 only checks that a process exists; EPERM means that it exists and belongs to another user. */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** What Linux reports about a process; see proc_pid_stat(5). */
export interface ProcessStat {
  /** It has ended, but its pid is in use until its parent reads the exit status. */
  readonly zombie: boolean;
  /** Clock ticks since boot: distinguishes it from a later process with the same pid. */
  readonly startTime: string;
}

/** Undefined when there is no such process, or no /proc. */
export async function processStat(pid: number): Promise<ProcessStat | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[18];
  return startTime === undefined ? undefined : { zombie: state === 'Z' || state === 'X', startTime };
}

/**
 * Creates a file that only its owner can read, with its content, durably and atomically: no process sees it
 * incomplete, and if several try at the same time exactly one succeeds. Returns false if it exists already.
 */
export async function writeOnce(file: string, content: string): Promise<boolean> {
  const unfinished = `${file}.${randomUUID()}`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await link(unfinished, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await handle.close();
    await rm(unfinished, { force: true });
  }
}
