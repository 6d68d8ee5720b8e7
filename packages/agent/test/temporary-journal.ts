import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { onTestFinished } from 'vitest';
import { type Journal, openJournal } from '../src/journal/journal.ts';
import type { JournalOptions } from '../src/journal/journal-settings.ts';

/** A new journal in a folder of its own, closed when the test has finished. */
export async function temporaryJournal(options: JournalOptions = {}): Promise<Journal> {
  const journal = await openJournal(await temporaryFolder(), options);
  onTestFinished(() => journal.close());
  return journal;
}

/** Acknowledges the crossings of the present journal up to a sequence. */
export function acknowledge(journal: Journal, sequence: number, at = sequence): void {
  const crossing = (number: number) => ({ sequence: number, at, direction: 1, uncertainty: 0 }) as const;
  const first = journal.acknowledged + 1;
  if (sequence >= first)
    journal.acknowledge({ journal: journal.id, crossings: [crossing(first), crossing(sequence)] });
}

/** The crossings of the present journal that it still has, and whose instants are known; they are delivered again. */
export function crossingsOf(journal: Journal): readonly NumberedCrossing[] {
  journal.continueFrom(journal.id, 1);
  return journal.next(100_000)?.crossings ?? [];
}

/** A disk that cannot be written while `code` is set, or that reports an error after it has written. */
export function faultyDisk(fails: 'write' | 'sync' = 'write') {
  const disk: { code: string | undefined } = { code: undefined };
  const beforeUse = (operation: 'read' | 'write' | 'sync') => {
    if (operation === fails && disk.code !== undefined)
      throw Object.assign(new Error(`${disk.code}: injected`), { code: disk.code });
  };
  return { disk, beforeUse };
}
