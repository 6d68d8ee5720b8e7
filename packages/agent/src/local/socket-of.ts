import { lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder that systemd makes for the service (`RuntimeDirectory`), with mode 0750. */
const ofService = '/run/counter-agent';
const mode = 0o750;

/** Another user owns the folder of the control socket, or may write in it. */
export class UnsafeSocketFolder extends Error {
  override readonly name = 'UnsafeSocketFolder';
  readonly code = 'unsafe-socket-folder';
}

/**
 * The control socket of the agent that has a journal open, in a folder that only its user and group can enter:
 * that of the service, or, of an agent that was started by hand, one below the folder for temporary files.
 */
export async function makeSocketPath(journal: string, env: NodeJS.ProcessEnv): Promise<string> {
  const ofSystemd = env['RUNTIME_DIRECTORY'];
  if (ofSystemd) return join(ofSystemd, await nameOf(journal));
  const { uid } = await stat(journal);
  const folder = folderOf(uid);
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await isSafe(folder, uid))) throw new UnsafeSocketFolder(`${folder} is not only of user ${uid}`);
  return join(folder, await nameOf(journal));
}

/** Where the agent that has a journal open may be asked, the likelier first. Rejects when there is no such folder. */
export async function socketPaths(journal: string): Promise<string[]> {
  const { uid } = await stat(journal);
  const name = await nameOf(journal);
  const folder = folderOf(uid);
  const byHand = (await isSafe(folder, uid)) ? [join(folder, name)] : [];
  return [join(ofService, name), ...byHand];
}

function folderOf(uid: number): string {
  return join(tmpdir(), `counter-agent-${uid}`);
}

/** Links are no folders, and a folder that others may change could have their socket. */
async function isSafe(folder: string, uid: number): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  return found.uid === uid && (found.mode & 0o027) === 0;
}

async function nameOf(journal: string): Promise<string> {
  const { dev, ino } = await stat(journal, { bigint: true });
  return `${dev}-${ino}.socket`;
}
