import type { Journal } from '../journal/journal.ts';
import type { NewCrossing } from '../journal/segment-format.ts';

/** The most crossings that are held in memory until they are on the disk: a week of a busy door, some 10 MB. */
export const mostHeld = 100_000;

/**
 * Journals crossings. Resolves when they are durable or, if the disk cannot store them now, when they are held in memory.
 * If more than `most` would be held, the rest is given up. `stored` is the promise of the journal's `append`; it may still
 * reject afterwards.
 */
export async function storeOrHold(
  journal: Journal,
  crossings: readonly NewCrossing[],
  most: number,
): Promise<{ readonly stored: Promise<void>; readonly givenUp: number }> {
  const room = journal.isHolding ? Math.max(0, most - journal.waiting) : crossings.length;
  const stored = journal.append(crossings.slice(0, room));
  const held = Promise.withResolvers<void>();
  const holdWhenFull = () => {
    if (journal.isHolding) held.resolve();
  };
  const stopListening = journal.changes.storage.add(holdWhenFull);
  holdWhenFull();
  await Promise.race([stored, held.promise]).finally(stopListening);
  return { stored, givenUp: Math.max(0, crossings.length - room) };
}

/** Resolves when the disk can store crossings again, or when `signal` aborts. */
export async function roomAgain(journal: Journal, signal: AbortSignal): Promise<void> {
  if (!journal.isHolding || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = journal.changes.storage.add(() => {
    if (!journal.isHolding) resolve();
  });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise.finally(stopListening);
}
