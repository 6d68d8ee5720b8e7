import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { processStat } from './process-stat.ts';
import { writeOnce } from './write-once.ts';

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
