import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * While the embedded database runs, this file in its folder holds the connection URL, so that the
 * operator's command line finds it. Only its owner can read it.
 */
const fileName = 'address';

export async function publishAddress(folder: string, url: string): Promise<void> {
  await writeFile(join(folder, fileName), url, { mode: 0o600 });
}

export async function withdrawAddress(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

/** The URL of the embedded database that runs on `folder`; undefined when none does. */
export async function findAddress(folder: string): Promise<string | undefined> {
  return readFile(join(folder, fileName), 'utf8').catch(() => undefined);
}
