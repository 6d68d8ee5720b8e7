import { setTimeout as pause } from 'node:timers/promises';

/** How far something has come; larger is farther. */
export interface Way {
  readonly progress: number;
  readonly isDone: boolean;
}

/** The polling interval (ms). */
const lookEvery = 200;
/** Without any progress for so long (ms), it is not going to be done. */
const standstill = 60_000;

/**
 * Resolves with true when it is done, with false when nothing has come any farther for a minute: how long all of it
 * takes depends on the machine.
 */
export async function untilDone(look: () => Promise<Way>): Promise<boolean> {
  let farthest = Number.NEGATIVE_INFINITY;
  let lastProgress = performance.now();
  for (;;) {
    const { progress, isDone } = await look();
    if (isDone) return true;
    if (progress > farthest) lastProgress = performance.now();
    farthest = Math.max(farthest, progress);
    if (performance.now() - lastProgress > standstill) return false;
    await pause(lookEvery);
  }
}
