import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * While the embedded database runs, this file in its folder contains the connection URL, so that the operator's
 * command line finds it. Only its owner can read it. A process that was killed leaves it behind.
 */
const fileName = 'address';

/** Replaces an earlier address atomically. */
export async function publishAddress(folder: string, url: string): Promise<void> {
  const unfinished = join(folder, `${fileName}.${process.pid}`);
  await rm(unfinished, { force: true });
  await writeFile(unfinished, url, { mode: 0o600 });
  await rename(unfinished, join(folder, fileName));
}

export async function withdrawAddress(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

/** The URL of the embedded database of `folder`; undefined when none runs. Throws if it is not readable. */
export async function findAddress(folder: string): Promise<string | undefined> {
  return readFile(join(folder, fileName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
