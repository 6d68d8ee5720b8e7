import type { FileSystem } from './file-system.ts';
import { asNotStored, isDiskError, isDiskFull, JournalFailed, type NotStored } from './journal-errors.ts';
import { firstOfSegment } from './segment.ts';

/** The folder of a journal, locked against other processes. */
export interface JournalFolder {
  /** Why it cannot be written; undefined if it can. */
  readonly problem: NotStored | undefined;
  /** Creates the folder if it is missing. Rejects with the system's error, and with JournalFailed if it contains a journal. */
  prepare(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Creates a journal's folder, if it is missing, and locks it. An agent starts even if the disk cannot be written: then the
 * folder is created and locked later. Rejects with JournalInUse, and with the system's error if the path cannot be a
 * folder.
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
