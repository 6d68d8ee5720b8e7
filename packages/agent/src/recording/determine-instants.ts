import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { EpochMs } from '@visitor-counter/domain/time';
import type { Logger } from '@visitor-counter/service/logger';
import { pause } from '@visitor-counter/service/pause';
import { earliestInstant, maxUncertainty } from '@visitor-counter/wire/limits';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { DatedBoot, UndatedBoot } from '../journal/undated-boots.ts';

/** The pause before storing instants is retried (ms). */
const retryAfter = 30_000;

/**
 * Determines the instants of crossings that were journaled before the clock was right, as soon as it is: by that
 * clock for this boot, and as estimates with an uncertainty for earlier boots. Returns a function that stops this. It
 * resolves when nothing more is written; before that, the door must not start again, which may store other times of the
 * same boots.
 */
export function determineInstants(journal: Journal, clock: UnitClock, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const ended = determineUntil(stopping.signal, journal, clock, log);
  return () => {
    stopping.abort();
    return ended;
  };
}

async function determineUntil(
  signal: AbortSignal,
  journal: Journal,
  clock: UnitClock,
  log: Logger,
): Promise<void> {
  while (!signal.aborted) {
    const present = await clock.knownBootTime(signal);
    if (!present) return;
    if (!journal.hasUndated) {
      await once(journal.changes, 'durable', { signal }).catch(() => {});
      continue;
    }
    try {
      const boots = estimateBootTimes(journal.undatedBoots, { boot: clock.boot, ...present });
      while (journal.determineInstants(boots) && !signal.aborted) await setImmediate();
      log.info({ boots }, 'instants determined');
    } catch (error) {
      log.error({ err: error }, 'instants not determined; crossings pending');
      await pause(retryAfter, signal);
    }
  }
}

/**
 * Determines when each boot began from the begin of the present one.
 *
 * The present boot's crossings get its time. An earlier boot lies between the last known instant before it and the begin of
 * the next boot: its crossings get the middle of these bounds, and half their distance as uncertainty. A clock without a
 * battery starts at the time of the last shutdown, so its time is the earliest bound, unless that contradicts a later boot. If
 * other bounds contradict each other, some clock was wrong: the crossings get the latest possible time, and the contradiction
 * as uncertainty.
 */
export function estimateBootTimes(undated: readonly UndatedBoot[], present: DatedBoot): DatedBoot[] {
  const earlier = undated.filter(({ boot }) => boot !== present.boot);
  const latest = latestBegins(earlier, present.offset);
  const dated: DatedBoot[] = [];
  let ended = earliestInstant;
  for (const [index, { boot, claimed, last, after }] of earlier.entries()) {
    const latestBegin = latest[index] ?? present.offset;
    const known = Math.max(after, ended);
    const earliest = Math.max(known, claimed <= latestBegin ? claimed : known);
    const begin = Math.min(latestBegin, (earliest + latestBegin) / 2);
    const uncertainty = Math.ceil(Math.max(latestBegin - begin, earliest - latestBegin));
    ended = earliest + last;
    dated.push({
      boot,
      offset: begin,
      uncertainty: Math.min(maxUncertainty, uncertainty + present.uncertainty),
    });
  }
  const isUndated = undated.some(({ boot }) => boot === present.boot);
  return isUndated ? [...dated, present] : dated;
}

/** The latest instant at which each boot can have begun: each has ended before the next one begins. */
function latestBegins(boots: readonly UndatedBoot[], present: EpochMs): EpochMs[] {
  const latest: EpochMs[] = [];
  let next = present;
  for (const { last } of boots.toReversed()) {
    next -= last;
    latest.unshift(next);
  }
  return latest;
}
