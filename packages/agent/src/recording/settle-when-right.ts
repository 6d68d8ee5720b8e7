import type { Logger } from '@visitor-counter/service/logger';
import { settleBoots } from '../clock/settle-boots.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { Journal } from '../journal/journal.ts';

/** The pause before storing instants is retried (ms). */
const retryAfter = 30_000;

/**
 * Determines the instants of crossings that were journaled before the clock was right, as soon as it is: by that
 * clock for this boot, and as estimates with an uncertainty for earlier boots. Returns a function that stops this, and
 * resolves when nothing is written any more: the next start of the door may then store other times of the same boots.
 */
export function settleWhenRight(journal: Journal, clock: UnitClock, log: Logger): () => Promise<void> {
  let settling: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  const settle = () => {
    const present = clock.bootTime;
    if (isStopped || settling || !present || journal.unsettled.length === 0) return;
    clearTimeout(retry);
    settling = store(settleBoots(journal.unsettled, { boot: clock.boot, ...present })).finally(() => {
      settling = undefined;
    });
  };
  const store = async (boots: ReturnType<typeof settleBoots>) => {
    try {
      await journal.storeBootTimes(boots);
      log.info({ boots }, 'instants determined');
    } catch (error) {
      log.error({ err: error }, 'instants not determined; crossings pending');
      if (!isStopped) retry = setTimeout(settle, retryAfter).unref();
    }
  };
  const stops = [clock.onRight(settle), journal.changes.durable.add(settle)];
  settle();
  return async () => {
    isStopped = true;
    clearTimeout(retry);
    for (const stop of stops) stop();
    await settling;
  };
}
