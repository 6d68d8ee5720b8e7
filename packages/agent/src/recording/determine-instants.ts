import type { Logger } from '@visitor-counter/service/logger';
import { type DatedBoot, estimateBootTimes } from '../clock/estimate-boot-times.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { Journal } from '../journal/journal.ts';

/** The pause before storing instants is retried (ms). */
const retryAfter = 30_000;

/**
 * Determines the instants of crossings that were journaled before the clock was right, as soon as it is: by that
 * clock for this boot, and as estimates with an uncertainty for earlier boots. Returns a function that stops this, and
 * resolves when nothing is written any more: the next start of the door may then store other times of the same boots.
 */
export function determineInstants(journal: Journal, clock: UnitClock, log: Logger): () => Promise<void> {
  let storing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  const determine = () => {
    const present = clock.bootTime;
    if (isStopped || storing || !present || journal.undatedBoots.length === 0) return;
    clearTimeout(retry);
    const boots = estimateBootTimes(journal.undatedBoots, { boot: clock.boot, ...present });
    storing = store(boots).then(() => {
      storing = undefined;
      /* A crossing of another boot has become durable meanwhile. */
      if (journal.undatedBoots.some(({ boot }) => boots.every((stored) => stored.boot !== boot))) determine();
    });
  };
  const store = async (boots: readonly DatedBoot[]) => {
    try {
      await journal.storeBootTimes(boots);
      log.info({ boots }, 'instants determined');
    } catch (error) {
      log.error({ err: error }, 'instants not determined; crossings pending');
      if (!isStopped) retry = setTimeout(determine, retryAfter).unref();
    }
  };
  const stops = [clock.onTimeKnown(determine), journal.changes.durable.add(determine)];
  determine();
  return async () => {
    isStopped = true;
    clearTimeout(retry);
    for (const stop of stops) stop();
    await storing;
  };
}
