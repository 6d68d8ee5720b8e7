import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates a folder and its parents if they do not exist. Rejects with the system's error.
 *
 * Works level by level: Node's own `recursive` retries forever if an existing folder refuses new folders with
 * ENOENT, as /proc does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    if (codeOf(error) !== 'ENOENT') throw error;
    const parent = dirname(folder);
    if (await isFolder(parent)) throw error;
    await makeFolder(parent);
    await makeFolder(folder);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
