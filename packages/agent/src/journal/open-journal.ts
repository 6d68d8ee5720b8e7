import { codeOf } from '@visitor-counter/service/errors';
import { writeBootTimes } from './boot-times.ts';
import { type FileSystem, readOnlyFiles } from './file-system.ts';
import { Journal } from './journal.ts';
import {
  asNotStored,
  isDiskError,
  isDiskFull,
  JournalFailed,
  JournalOfAnotherDevice,
  type NotStored,
} from './journal-errors.ts';
import { JournalPosition } from './journal-position.ts';
import { JournalReserve } from './journal-reserve.ts';
import {
  defaultSettings,
  JournalChanges,
  type JournalFolder,
  type JournalOptions,
  type JournalState,
} from './journal-state.ts';
import { continuedAfter, recoverJournal } from './recover-journal.ts';
import { Retries } from './retries.ts';
import { firstOfSegment } from './segment-format.ts';

/**
 * Opens the journal in a folder: creates it if there is none, and repairs the damage of a power cut.
 * Throws JournalInUse while another process has it open, JournalOfAnotherDevice if it has another serial, and
 * JournalUnreadable if the disk cannot read its id or its last segment.
 */
export async function openJournal(directory: string, options: JournalOptions = {}): Promise<Journal> {
  const settings = { ...defaultSettings, ...options };
  const { files, onProblem } = settings;
  const folder = await openFolder(files, directory);
  try {
    const readable = folder.problem ? readOnlyFiles(files) : files;
    const found = await recoverJournal(readable, directory, new Retries(settings));
    const { serial = settings.serial } = found.acknowledged;
    if (serial !== undefined && settings.serial !== undefined && serial !== settings.serial)
      throw new JournalOfAnotherDevice(directory, serial);
    const changes = new JournalChanges();
    const isOfThisBoot = found.content.segments.at(-1)?.boot === settings.boot;
    const unsyncedEnd = isOfThisBoot ? found.end : undefined;
    const state: JournalState = { ...found.content, directory, settings, folder, changes, unsyncedEnd };
    const position = new JournalPosition(state, found.acknowledged);
    /* This also reserves the position's place on the disk: a full disk can then still be freed. */
    if (!found.positionStored || found.lost.length > 0)
      await position.declareLost(found.lost).catch(onProblem);
    await declareHeld(state, position);
    const { boots, areDifferent } = found.bootTimes;
    /* If this fails, the next start tries again. */
    if (areDifferent && !folder.problem) await writeBootTimes(files, directory, boots).catch(() => {});
    const reserve = new JournalReserve(state);
    if (!folder.problem) await reserve.find();
    const journal = new Journal(state, position, reserve, found);
    await journal.start();
    return journal;
  } catch (error) {
    await folder.release();
    throw error;
  }
}

/**
 * Declares the crossings lost that were only in memory when the last agent ended, and continues the journal after their
 * sequences. Changes nothing if the declaration cannot be stored.
 */
async function declareHeld(state: JournalState, position: JournalPosition): Promise<void> {
  const { counted } = position;
  if (counted <= state.recorded) return;
  try {
    await position.declareLost([[state.recorded + 1, counted]]);
    state.recorded = counted;
    state.segments = continuedAfter(counted, true, state.segments);
  } catch (error) {
    state.settings.onProblem(error);
  }
}

/**
 * Creates a journal's folder, if it is missing, and locks it. An agent starts even if the disk cannot be written: then the
 * folder is created and locked later. Rejects with JournalInUse, and with the system's error if the path cannot be a
 * folder.
 */
async function openFolder(files: FileSystem, directory: string): Promise<JournalFolder> {
  let unlock: (() => Promise<void>) | undefined;
  const problem = await files
    .makeDirectory(directory)
    .then(() => files.assertWritable(directory))
    .then(() => undefined, notStored);
  try {
    unlock = await files.lock(directory);
  } catch (error) {
    if (!problem || codeOf(error) !== 'ENOENT') throw error;
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
  if (codeOf(error) !== 'EROFS' && !isDiskFull(error) && !isDiskError(error)) throw error;
  return asNotStored(error);
}
