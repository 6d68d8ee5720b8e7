import type { Logger } from '@visitor-counter/service/logger';
import { settleBoots } from '../clock/settle-boots.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { Journal } from '../journal/journal.ts';

/** The pause before storing instants is retried (ms). */
const retryAfter = 30_000;

/**
 * Determines the instants of crossings that were journaled before the clock was right, as soon as it is: by that
 * clock for this boot, and as estimates with an uncertainty for earlier boots. Returns a function that stops this.
 */
export function settleWhenRight(journal: Journal, clock: UnitClock, log: Logger): () => void {
  let settling = false;
  let retry: NodeJS.Timeout | undefined;
  const settle = async () => {
    const present = clock.bootTime;
    if (settling || !present || journal.unsettled.length === 0) return;
    settling = true;
    clearTimeout(retry);
    const boots = settleBoots(journal.unsettled, { boot: clock.boot, ...present });
    try {
      await journal.storeBootTimes(boots);
      log.info({ boots }, 'instants determined');
    } catch (error) {
      log.error({ err: error }, 'instants not determined; crossings pending');
      retry = setTimeout(settle, retryAfter).unref();
    }
    settling = false;
  };
  const stops = [clock.onRight(() => void settle()), journal.changes.durable.add(() => void settle())];
  void settle();
  return () => {
    clearTimeout(retry);
    for (const stop of stops) stop();
  };
}
