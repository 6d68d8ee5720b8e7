import { createHash } from 'node:crypto';
import { lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder that systemd makes for the service (`RuntimeDirectory`), with mode 0750. */
const ofService = '/run/counter-agent';
const mode = 0o750;

/**
 * The control socket of the agent that has a journal open, in a folder that only its user and group can enter:
 * that of the service, or, of an agent that was started by hand, one below the folder for temporary files.
 */
export async function makeSocketPath(journal: string, env: NodeJS.ProcessEnv): Promise<string> {
  const ofSystemd = env['RUNTIME_DIRECTORY'];
  if (ofSystemd) return join(ofSystemd, nameOf(journal));
  const uid = await ownerOf(journal);
  const folder = folderOf(uid);
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await isSafe(folder, uid))) throw new Error(`users other than ${uid} own ${folder} or may use it`);
  return join(folder, nameOf(journal));
}

/** The possible sockets of the agent that has a journal open, the more likely one first. */
export async function socketPaths(journal: string): Promise<string[]> {
  const uid = await ownerOf(journal);
  const folder = folderOf(uid);
  const folders = [ofService, ...((await isSafe(folder, uid)) ? [folder] : [])];
  return folders.map((path) => join(path, nameOf(journal)));
}

function folderOf(uid: number): string {
  return join(tmpdir(), `counter-agent-${uid}`);
}

/** A symbolic link is refused, and so is a folder that other users may change: it could contain their socket. */
async function isSafe(folder: string, uid: number): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  return found.uid === uid && (found.mode & 0o027) === 0;
}

/** The owner of the folder or, if it does not exist, this user. */
async function ownerOf(journal: string): Promise<number> {
  return await stat(journal).then(
    ({ uid }) => uid,
    () => process.getuid?.() ?? 0,
  );
}

/** By its path, so that a running agent is found even if the folder has been removed or replaced. */
function nameOf(journal: string): string {
  return `${createHash('sha256').update(resolve(journal)).digest('hex').slice(0, 32)}.socket`;
}
