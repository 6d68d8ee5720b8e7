import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Ends a server that still runs on a data folder because whoever started it was killed, and removes the
 * lock file of one that is gone, whose process number may by now belong to somebody else.
 *
 * Only where /proc tells which folder a process works in; elsewhere PostgreSQL's own check decides.
 */
export async function endLeftBehindServer(dataFolder: string): Promise<void> {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (!(pid > 1) || process.platform !== 'linux') return;
  const folder = await realpath(dataFolder);
  if (!(await worksIn(pid, folder))) return rm(lockFile, { force: true });
  process.kill(pid, 'SIGINT');
  while (await worksIn(pid, folder)) await delay(20);
}

async function worksIn(pid: number, folder: string): Promise<boolean> {
  return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === folder;
}
