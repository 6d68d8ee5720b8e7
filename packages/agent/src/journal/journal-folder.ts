import type { FileSystem } from './file-system.ts';
import { asNotStored, isDiskError, isDiskFull, JournalFailed, type NotStored } from './journal-errors.ts';
import { firstOfSegment } from './segment.ts';

/** The folder of a journal, kept from other processes. */
export interface JournalFolder {
  /** Why it cannot be written; undefined where it can. */
  readonly problem: NotStored | undefined;
  /** Makes the folder if it is missing. Rejects with the system's error, and with JournalFailed where a journal is in it. */
  prepare(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Makes a journal's folder, if it is missing, and locks it. A disk that cannot be written does not keep an agent from
 * starting: then the folder is made and locked later. Rejects with JournalInUse, and with the system's error where the
 * path is no place for a folder.
 */
export async function openFolder(files: FileSystem, directory: string): Promise<JournalFolder> {
  let unlock: (() => Promise<void>) | undefined;
  const problem = await files
    .makeDirectory(directory)
    .then(() => files.assertWritable(directory))
    .then(() => undefined, notStored);
  try {
    unlock = await files.lock(directory);
  } catch (error) {
    if (!problem || !isMissing(error)) throw error;
  }
  return {
    problem,
    prepare: async () => {
      if (unlock) return;
      await files.makeDirectory(directory);
      unlock = await files.lock(directory);
      const names = await files.list(directory);
      if (names.some((name) => firstOfSegment(name) !== undefined))
        throw new JournalFailed('a journal has appeared in its folder');
    },
    release: async () => unlock?.(),
  };
}

function notStored(error: unknown): NotStored {
  const isReadOnly = error instanceof Error && 'code' in error && error.code === 'EROFS';
  if (!isReadOnly && !isDiskFull(error) && !isDiskError(error)) throw error;
  return asNotStored(error);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
