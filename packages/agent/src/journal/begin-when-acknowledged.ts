import { beginJournal } from './begin-journal.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalCleaner } from './journal-cleaner.ts';
import type { JournalReader } from './journal-reader.ts';
import type { JournalState } from './journal-state.ts';
import type { JournalWriter } from './journal-writer.ts';
import { asNoRoom, NoRoom } from './no-room.ts';

export interface BeginParts {
  readonly files: FileSystem;
  readonly state: JournalState;
  readonly writer: JournalWriter;
  readonly reader: JournalReader;
  readonly cleaner: JournalCleaner;
  /** Called before anything is written to the new journal, or read from it. */
  readonly onBegun: () => void;
}

/** Where no more than this many crossings are pending, new ones wait in memory until these are acknowledged. */
const fewPending = 1_000;

/** How long new crossings wait in memory for the acknowledgement of those before them (ms). */
const holdFor = 1_000;

/**
 * Ends the journal with the id `ended` as soon as everything that is recorded is acknowledged, and begins another one;
 * does nothing where the journal has another id. Crossings that are appended meanwhile belong to the new journal.
 * Rejects with the signal's reason when it aborts, and with NoRoom or the system's error where the new journal cannot
 * be written; then the old one continues.
 */
export async function beginWhenAcknowledged(
  parts: BeginParts,
  ended: string,
  signal: AbortSignal,
): Promise<void> {
  const { state, cleaner } = parts;
  let hasTried = false;
  while (state.journal === ended) {
    signal.throwIfAborted();
    const pending = state.recorded - cleaner.position.through;
    if (pending > fewPending || (hasTried && pending > 0)) {
      await cleaner.nextAcknowledgement(signal);
      hasTried = false;
    } else {
      await attempt(parts, ended, signal);
      hasTried = true;
    }
  }
}

/** Begins the new journal unless some crossings stay unacknowledged. */
function attempt(parts: BeginParts, ended: string, signal: AbortSignal): Promise<void> {
  const { files, state, writer, reader, cleaner, onBegun } = parts;
  const beginUnlessPending = async () => {
    if (state.journal !== ended || cleaner.position.through < state.recorded) return;
    await begin(files, state, writer);
  };
  return writer.exclusively(async () => {
    await allAcknowledged(state, cleaner, signal);
    signal.throwIfAborted();
    await reader.exclusively(async () => {
      await cleaner.replacePosition(beginUnlessPending);
      if (state.journal !== ended) onBegun();
    });
  });
}

async function begin(files: FileSystem, state: JournalState, writer: JournalWriter): Promise<void> {
  try {
    await beginJournal(files, state);
  } catch (error) {
    // Without room nothing of the new journal has appeared; after another error nobody knows.
    if (!(asNoRoom(error) instanceof NoRoom)) writer.fail(error);
    throw asNoRoom(error);
  }
}

/** Resolves when everything recorded is acknowledged, after `holdFor`, or when `signal` aborts. */
async function allAcknowledged(
  state: JournalState,
  cleaner: JournalCleaner,
  signal: AbortSignal,
): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(holdFor)]);
  while (cleaner.position.through < state.recorded && !enough.aborted)
    await cleaner.nextAcknowledgement(enough).catch(() => {});
}
