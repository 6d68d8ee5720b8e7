import type { Journal } from './journal/journal.ts';
import type { NewCrossing } from './journal/record-codec.ts';

/** The most crossings that wait in memory for room on the disk: a week of a busy door, some 10 MB. */
export const mostHeld = 100_000;

/**
 * Journals crossings that happen only once: resolves when they are durable or, where there is no room, when
 * they wait in memory; with how many were given up because too many wait. `durable` settles as the journal's
 * `append` does.
 */
export async function storeOrHold(
  journal: Journal,
  crossings: readonly NewCrossing[],
  durable: (stored: Promise<void>) => void,
  most: number,
): Promise<number> {
  const room = journal.noRoom === undefined ? crossings.length : Math.max(0, most - journal.waiting);
  const stored = journal.append(crossings.slice(0, room));
  durable(stored);
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const stopListening = journal.onRoom(hold);
  if (journal.noRoom !== undefined) hold();
  await Promise.race([stored, held]).finally(stopListening);
  return Math.max(0, crossings.length - room);
}

/** Resolves when there is room, or when `signal` aborts. */
export async function roomAgain(journal: Journal, signal: AbortSignal): Promise<void> {
  if (journal.noRoom === undefined || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = journal.onRoom(resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise.finally(stopListening);
}
