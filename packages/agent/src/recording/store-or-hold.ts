import type { Journal } from '../journal/journal.ts';
import type { NewCrossing } from '../journal/record-codec.ts';

/** The most crossings that are held in memory until the disk takes them: a week of a busy door, some 10 MB. */
export const mostHeld = 100_000;

/**
 * Journals crossings that happen only once: resolves when they are durable or, where the disk does not take them, when
 * they are held in memory; with how many were given up because too many are held. `durable` settles as the journal's
 * `append` does.
 */
export async function storeOrHold(
  journal: Journal,
  crossings: readonly NewCrossing[],
  durable: (stored: Promise<void>) => void,
  most: number,
): Promise<number> {
  const room = !journal.isHolding ? crossings.length : Math.max(0, most - journal.waiting);
  const stored = journal.append(crossings.slice(0, room));
  durable(stored);
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const stopListening = journal.onStorage(() => {
    if (journal.isHolding) hold();
  });
  if (journal.isHolding) hold();
  await Promise.race([stored, held]).finally(stopListening);
  return Math.max(0, crossings.length - room);
}

/** Resolves when the disk takes crossings again, or when `signal` aborts. */
export async function roomAgain(journal: Journal, signal: AbortSignal): Promise<void> {
  if (!journal.isHolding || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = journal.onStorage(() => {
    if (!journal.isHolding) resolve();
  });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise.finally(stopListening);
}
