import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from '@visitor-counter/service/back-off';
import type { Logger } from '@visitor-counter/service/logger';
import { isDatabaseUnavailable, reasonOf } from '../sql/unavailable.ts';
import { migrate } from './migrate.ts';

/**
 * Brings the schema up to date. Retries as long as the database is unavailable, since it may start after the service,
 * and calls `onUnavailable` each time. Throws any other error, and the signal's reason.
 */
export async function migrateWhenAvailable(
  url: string,
  log: Logger,
  stopping: AbortSignal,
  onUnavailable: () => void = () => {},
): Promise<void> {
  const backOff = new BackOff({ first: 200, longest: 5_000 });
  for (;;) {
    stopping.throwIfAborted();
    try {
      const applied = await migrate(url);
      if (applied.length > 0) log.info({ applied }, 'the schema is up to date');
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      onUnavailable();
      const pause = backOff.next();
      log.warn({ reason: reasonOf(error), pause }, 'database unavailable; retrying');
      await delay(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }
}
