import type { FileSystem } from './file-system.ts';
import { isDiskError } from './is-disk-error.ts';
import { JournalUnreadable } from './journal-errors.ts';
import { defaultRetries, Retries, type RetrySettings } from './retries.ts';

/**
 * A folder's file operations, of which reading a small file is retried while the disk reports errors; then it rejects
 * with JournalUnreadable.
 */
export function retryingFiles(
  files: FileSystem,
  folder: string,
  settings: Partial<RetrySettings>,
): FileSystem {
  return {
    ...files,
    read: (path) =>
      new Retries({ ...defaultRetries, ...settings })
        .whileFailing(() => files.read(path))
        .catch((error: unknown) => {
          throw isDiskError(error) ? new JournalUnreadable(folder, path, error) : error;
        }),
  };
}
