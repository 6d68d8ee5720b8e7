import { setTimeout as delay } from 'node:timers/promises';

/** Between two attempts (ms). */
const pause = 500;

/**
 * Repeats `work` until it succeeds, so that a message is not lost while the database is unavailable. Rejects when the
 * connection has `ended`: its broker will deliver the message again.
 */
export async function retryUntilEnded<Result>(
  work: () => Promise<Result>,
  ended: AbortSignal,
  onError: (error: unknown) => void,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      onError(error);
    }
    await delay(pause, undefined, { signal: ended });
  }
}
