import { declareHeld } from './held-note.ts';
import { Journal } from './journal.ts';
import { openFolder } from './journal-folder.ts';
import { defaultOptions, type JournalOptions } from './journal-options.ts';
import { JournalPosition } from './journal-position.ts';
import { JournalReserve } from './journal-reserve.ts';
import { readOnlyFiles } from './read-only-files.ts';
import { recoverJournal } from './recover-journal.ts';
import { Retries } from './retries.ts';
import { newJournalId } from './segment-header.ts';

/**
 * Opens the journal in a folder: creates it if there is none, and repairs the damage of a power cut.
 * Throws JournalInUse while another process has it open, and JournalUnreadable if the disk cannot read its id.
 */
export async function openJournal(directory: string, options: JournalOptions = {}): Promise<Journal> {
  const { reserve: reserved, ...settings } = { ...defaultOptions, ...options };
  const { files, onProblem } = settings;
  const folder = await openFolder(files, directory);
  try {
    const readable = folder.problem ? readOnlyFiles(files) : files;
    const found = await recoverJournal(readable, directory, newJournalId, new Retries(settings));
    const position = new JournalPosition(files, directory, found.acknowledged, settings);
    // This also reserves the position's place on the disk: a full disk can then still be freed.
    if (!found.positionStored || found.lost.length > 0)
      await position.declareLost(found.lost).catch(onProblem);
    const continued = await declareHeld(found, position, onProblem);
    const reserve = new JournalReserve(files, directory, { ...settings, reserve: reserved });
    if (!folder.problem) await reserve.find();
    return new Journal(continued, { ...settings, directory, folder, position, reserve });
  } catch (error) {
    await folder.release();
    throw error;
  }
}
