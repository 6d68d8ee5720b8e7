import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates a folder and its parents if they do not exist, with the given mode. Rejects with the system's error.
 *
 * Works level by level: Node's own `recursive` retries forever if an existing folder refuses new folders with
 * ENOENT, as /proc does.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (await isFolder(folder)) return;
    if (codeOf(error) !== 'ENOENT') throw error;
    const parent = dirname(folder);
    if (await isFolder(parent)) throw error;
    await makeFolder(parent, mode);
    await makeFolder(folder, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
