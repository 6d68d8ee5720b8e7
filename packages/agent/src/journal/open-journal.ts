import { Disk } from './disk.ts';
import { Journal } from './journal.ts';
import { defaultSettings, type JournalOptions } from './journal-settings.ts';

/**
 * Opens the journal in a folder, which is created if it is missing; no other process can open it meanwhile. If the disk
 * cannot be read or written now, crossings are held in memory, and the disk is tried again.
 *
 * Throws JournalInUse, JournalOfAnotherDevice, and the system's error if the path can never contain a journal.
 */
export async function openJournal(folder: string, options: JournalOptions = {}): Promise<Journal> {
  const settings = { ...defaultSettings, ...options };
  return new Journal(new Disk(folder, settings), settings);
}
