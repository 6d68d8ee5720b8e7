import { join } from 'node:path';
import type { Listeners } from '../async/listeners.ts';
import type { FileSystem } from './file-system.ts';
import { asNotStored } from './journal-errors.ts';
import type { JournalPosition } from './journal-position.ts';
import type { JournalReader } from './journal-reader.ts';
import type { JournalState } from './journal-state.ts';
import type { JournalWriter } from './journal-writer.ts';
import { createSegment, firstOfSegment, segmentName } from './segment.ts';
import { newJournalId } from './segment-header.ts';

export interface BeginParts {
  readonly files: FileSystem;
  readonly state: JournalState;
  readonly writer: JournalWriter;
  readonly reader: JournalReader;
  readonly position: JournalPosition;
  /** Called before anything is written to the new journal, or read from it. */
  readonly begun: Listeners;
}

/** With at most this many pending crossings, new ones are held in memory until the pending ones are acknowledged. */
const fewPending = 1_000;

/** The longest time for which new crossings are held in memory (ms). */
const holdFor = 1_000;

/**
 * Ends the journal with the id `ended` as soon as everything that is recorded is acknowledged, and begins another one;
 * does nothing if the journal has another id. Crossings that are appended meanwhile belong to the new journal.
 * Rejects with the signal's reason when it aborts, and with NotStored or the system's error if the new journal
 * cannot be written; then the old one continues.
 */
export async function beginWhenAcknowledged(
  parts: BeginParts,
  ended: string,
  signal: AbortSignal,
): Promise<void> {
  const { state, position } = parts;
  let hasTried = false;
  while (state.journal === ended) {
    signal.throwIfAborted();
    const pending = state.recorded - position.through;
    if (pending > fewPending || (hasTried && pending > 0)) {
      await position.nextAcknowledgement(signal);
      hasTried = false;
    } else {
      await attempt(parts, ended, signal);
      hasTried = true;
    }
  }
}

/** Begins the new journal unless some crossings stay unacknowledged. */
function attempt(parts: BeginParts, ended: string, signal: AbortSignal): Promise<void> {
  const { files, state, writer, reader, position, begun } = parts;
  return writer.exclusively(async () => {
    await allAcknowledged(state, position, signal);
    signal.throwIfAborted();
    // The reader may be retrying an unreadable crossing for long; the writer must not wait for that.
    if (position.through < state.recorded) return;
    await reader.exclusively(async () => {
      if (state.journal !== ended || position.through < state.recorded) return;
      await position.replace(() => begin(files, state, writer));
      begun.call();
    });
  });
}

async function begin(files: FileSystem, state: JournalState, writer: JournalWriter): Promise<string> {
  try {
    await beginJournal(files, state);
    return state.journal;
  } catch (error) {
    const cause = asNotStored(error);
    if (cause.problem !== 'full' || (await hasSegment(files, state.directory))) writer.fail(error);
    throw cause.problem === 'full' ? cause : error;
  }
}

/** Whether the new journal's first segment has appeared, or may have. */
async function hasSegment(files: FileSystem, directory: string): Promise<boolean> {
  return files.list(directory).then(
    (names) => names.includes(segmentName(1)),
    () => true,
  );
}

/** Resolves when everything recorded is acknowledged, after `holdFor`, or when `signal` aborts. */
async function allAcknowledged(
  state: JournalState,
  position: JournalPosition,
  signal: AbortSignal,
): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(holdFor)]);
  while (position.through < state.recorded && !enough.aborted) await position.nextAcknowledgement(enough);
}

/**
 * Replaces a completely acknowledged journal with an empty one under a new id. Must not run while anything is written
 * or read.
 *
 * Crash-safe: while the old segments are removed, the stored position contains the old journal's id and last sequence.
 * Until the first segment of the new journal appears, which is one rename, a start continues the old journal after its
 * last sequence. All old segments must be removed before that, because a folder's journal is identified by its segments.
 */
async function beginJournal(files: FileSystem, state: JournalState): Promise<void> {
  const { directory, recordedAt, boot } = state;
  state.segments = [];
  for (const name of await files.list(directory)) {
    if (firstOfSegment(name) !== undefined) await files.remove(join(directory, name));
  }
  await files.syncDirectory(directory);
  const header = { journal: newJournalId(), first: 1, lastAt: recordedAt, boot };
  const file = await createSegment(files, directory, header);
  await file.close();
  state.journal = header.journal;
  state.recorded = 0;
  state.segments = [{ name: segmentName(1), first: 1, count: 0, lastAt: recordedAt, boot }];
}
