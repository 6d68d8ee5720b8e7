import { setTimeout as delay } from 'node:timers/promises';

/** How long to wait before something is tried again (ms). */
const tryAgainAfter = 500;

/**
 * Does `work` until it succeeds: a message is held, not given up, while the database is away. Rejects when
 * the connection has `ended`; its broker will deliver the message again.
 */
export async function hold<Result>(
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
    await delay(tryAgainAfter, undefined, { signal: ended });
  }
}
