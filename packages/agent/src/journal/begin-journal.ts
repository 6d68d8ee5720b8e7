import { join } from 'node:path';
import { asNotStored } from './journal-errors.ts';
import type { JournalPosition } from './journal-position.ts';
import type { JournalReader } from './journal-reader.ts';
import type { JournalState } from './journal-state.ts';
import type { JournalWriter } from './journal-writer.ts';
import { createSegment } from './segment-appender.ts';
import { firstOfSegment, newJournalId } from './segment-format.ts';

interface BeginParts {
  readonly state: JournalState;
  readonly writer: JournalWriter;
  readonly reader: JournalReader;
  readonly position: JournalPosition;
}

/** With at most this many pending crossings, new ones are held in memory until the pending ones are acknowledged. */
const fewPending = 1_000;

/** The longest time for which new crossings are held in memory (ms). */
const holdFor = 1_000;

/**
 * Ends the journal with the id `ended` as soon as everything that is recorded is acknowledged, and begins another one;
 * does nothing if the journal has another id. Crossings that are appended meanwhile belong to the new journal.
 * Rejects with the signal's reason when it aborts, and with NotStored or the system's error if the new journal cannot be
 * written. Then the old one continues or, if it is unknown what is on the disk, the journal fails until the next start.
 */
export async function beginWhenAcknowledged(
  parts: BeginParts,
  ended: string,
  signal: AbortSignal,
): Promise<void> {
  const { state, position } = parts;
  const pending = () => state.recorded - position.through;
  while (state.journal === ended) {
    signal.throwIfAborted();
    if (pending() <= fewPending) await attempt(parts, ended, signal);
    if (state.journal === ended && pending() > 0) await state.changes.acknowledged.next(signal);
  }
}

/** Begins the new journal unless some crossings stay unacknowledged for `holdFor`. */
function attempt(parts: BeginParts, ended: string, signal: AbortSignal): Promise<void> {
  const { state, writer, reader, position } = parts;
  const isPending = () => position.through < state.recorded;
  return writer.exclusively(async () => {
    const enough = AbortSignal.any([signal, AbortSignal.timeout(holdFor)]);
    while (isPending() && !enough.aborted) await state.changes.acknowledged.next(enough);
    signal.throwIfAborted();
    /* The reader may be retrying an unreadable crossing for long; the writer must not wait for that. */
    if (isPending()) return;
    await reader.exclusively(async () => {
      if (state.journal !== ended) return;
      await position.replace(() => begin(state, writer));
      state.changes.begun.call();
    });
  });
}

async function begin(state: JournalState, writer: JournalWriter): Promise<string> {
  try {
    await replaceSegments(state);
    return state.journal;
  } catch (error) {
    const cause = asNotStored(error);
    if (cause.problem !== 'full' || (await hasSegment(state))) writer.fail(error);
    throw cause.problem === 'full' ? cause : error;
  }
}

/** Whether the new journal's first segment has appeared, or may have. */
async function hasSegment({ settings, directory }: JournalState): Promise<boolean> {
  return settings.files.list(directory).then(
    (names) => names.some((name) => firstOfSegment(name) === 1),
    () => true,
  );
}

/**
 * Replaces a completely acknowledged journal with an empty one under a new id. Must not run while anything is written
 * or read.
 *
 * Crash-safe: while the old segments are removed, the stored position contains the old journal's id and last sequence.
 * Until the first segment of the new journal appears, which is one rename, a start continues the old journal after its
 * last sequence. All old segments must be removed before that, because a folder's journal is identified by its segments.
 */
async function replaceSegments(state: JournalState): Promise<void> {
  const { directory, recordedAt, settings } = state;
  const { files, boot } = settings;
  state.segments = [];
  for (const name of await files.list(directory)) {
    if (firstOfSegment(name) !== undefined) await files.remove(join(directory, name));
  }
  await files.syncDirectory(directory);
  const journal = newJournalId();
  const segment = { first: 1, count: 0, lastAt: recordedAt, boot };
  await createSegment({ ...state, journal }, segment);
  state.journal = journal;
  state.recorded = 0;
  state.segments = [segment];
}
