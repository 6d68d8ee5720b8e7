import type { Database } from '@visitor-counter/database/connect';
import { forgetLateChanges } from '@visitor-counter/database/occupancy/forget-late-changes';

/** An hour (ms). */
const interval = 3_600_000;

/** Removes, every hour, what no reader of today needs any more. Gives what ends it. */
export function forgettingLateChanges(database: Database, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => void forgetLateChanges(database.kysely).catch(onError), interval);
  timer.unref();
  return () => clearInterval(timer);
}
