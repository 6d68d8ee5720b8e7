import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
