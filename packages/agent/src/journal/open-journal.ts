import { codeOf } from '@visitor-counter/service/errors';
import { makeFolder } from '@visitor-counter/service/files';
import { Disk } from './disk.ts';
import { Journal } from './journal.ts';
import { defaultSettings, type JournalOptions } from './journal-settings.ts';
import { lockDirectory } from './lock-directory.ts';

/**
 * Opens the journal in a folder, which is created if it is missing, and locks it for this process. If the disk cannot be
 * read or written now, crossings are held in memory, and the disk is tried again.
 *
 * Throws JournalInUse, JournalOfAnotherDevice, and the system's error if the path can never contain a journal.
 */
export async function openJournal(folder: string, options: JournalOptions = {}): Promise<Journal> {
  const settings = { ...defaultSettings, ...options };
  const release = await lock(folder, () => settings.beforeUse('write'));
  const journal = new Journal(new Disk(folder, settings), settings, release);
  try {
    journal.open();
  } catch (error) {
    await release();
    throw error;
  }
  return journal;
}

/** Error codes of a disk that cannot be written now. */
const unwritable: readonly unknown[] = ['EROFS', 'EIO', 'ENOSPC', 'EDQUOT'];

/** Locks the folder. A folder that cannot be created now is not locked: no other process can have it open. */
async function lock(folder: string, beforeUse: () => void): Promise<() => Promise<void>> {
  try {
    beforeUse();
    await makeFolder(folder);
  } catch (error) {
    if (!unwritable.includes(codeOf(error))) throw error;
  }
  return lockDirectory(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return async () => {};
  });
}
