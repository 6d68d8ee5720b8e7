import type { Logger } from '@visitor-counter/service/logger';
import { settleBoots } from '../clock/settle-boots.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { Journal } from '../journal/journal.ts';

/** How long until an instant that could not be stored is tried again (ms). */
const retryAfter = 30_000;

/**
 * Settles the instants of journaled crossings as soon as a right time is known: of this boot, and of earlier
 * ones as well as can be. Returns a function that ends this.
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
  const stops = [clock.onRight(() => void settle()), journal.onDurable(() => void settle())];
  void settle();
  return () => {
    clearTimeout(retry);
    for (const stop of stops) stop();
  };
}
