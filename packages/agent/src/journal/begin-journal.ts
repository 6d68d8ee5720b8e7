import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FileSystem } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { createSegment } from './segment.ts';
import { firstOfSegment, segmentName } from './segment-name.ts';

/** A new journal's id: 32 hexadecimal digits. */
export function newJournalId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Replaces a completely acknowledged journal with an empty one under a new id. Must not run while anything is written
 * or read.
 *
 * Crash-safe: while the old segments are removed, the stored position contains the old journal's id and last sequence.
 * Until the first segment of the new journal appears, which is one rename, a start continues the old journal after its
 * last sequence. All old segments must be removed before that, because a folder's journal is identified by its segments.
 */
export async function beginJournal(files: FileSystem, state: JournalState): Promise<void> {
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
