import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reasonOf } from './errors.ts';
import { ConfigurationError } from './settings/configuration-error.ts';

/** The content of a file that a setting names. Throws ConfigurationError if it cannot be read. */
export async function readNamedFile(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ConfigurationError(setting, file, `a file that can be read (${reasonOf(error)})`);
  }
}

/**
 * Writes a file completely or not at all; durable when this resolves. Only its owner can read it, unless `mode` says
 * otherwise.
 */
export async function writeAtomically(path: string, content: string, mode = 0o600): Promise<void> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await publishFile(unfinished, path);
}

/** Renames a file durably: after a power cut it still has the new name. */
export async function publishFile(unfinished: string, path: string): Promise<void> {
  await rename(unfinished, path);
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
