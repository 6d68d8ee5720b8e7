import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A folder belongs to the process whose identity this file in it holds, for as long as that process lives.
 * Without it a second start would take the running server of the first for one that was left behind.
 */
const fileName = 'owner';

/** Another process that lives has the folder. */
export class FolderTakenError extends Error {
  override readonly name = 'FolderTakenError';
  readonly code = 'folder_taken';
  /** Whose it is. */
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(`${folder} is not free: process ${pid} is using it`);
    this.pid = pid;
  }
}

/**
 * Claims a folder for this process and returns how to give it back. What a process that was killed left
 * behind does not count; a claim of this process itself is taken over.
 * Throws FolderTakenError where another process has it.
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

/** Tells a process from a later one of the same number, where /proc says when it started. */
async function identity(pid: number): Promise<string> {
  const stat = await processStat(pid);
  if (stat?.zombie) return 'ended';
  return stat === undefined ? `${pid}` : `${pid} ${stat.startTime}`;
}

/** Signal 0 is delivered to nobody; a process of somebody else refuses it, so it is alive. */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** What Linux tells about a process; see proc_pid_stat(5). */
export interface ProcessStat {
  /** It has ended, and only its number is still taken because nobody asked how. */
  readonly zombie: boolean;
  /** Clock ticks since boot: tells it from a later process of the same number. */
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
 * Creates a file that only its owner can read, with its content, durably and in one step: nobody sees it
 * half written, and of several who try at once exactly one succeeds. Returns false where it exists already.
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
