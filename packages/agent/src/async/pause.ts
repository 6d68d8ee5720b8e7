import { setTimeout as delay } from 'node:timers/promises';
import type { EpochMs } from '@visitor-counter/domain/time';

/** Resolves after `ms`, or as soon as `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

/** The wall clock is read again at least this often (ms), since it may be set meanwhile. */
const longestTimer = 60_000;

/** Resolves when `clock` reaches `instant` (epoch ms), true; or when `signal` aborts, false. */
export async function sleepUntil(
  instant: number,
  clock: () => EpochMs,
  signal: AbortSignal,
): Promise<boolean> {
  for (let left = instant - clock(); left > 0 && !signal.aborted; left = instant - clock()) {
    await pause(Math.min(left, longestTimer), signal);
  }
  return !signal.aborted;
}
