import { setTimeout as pause } from 'node:timers/promises';

/** A measure of progress; larger is farther. */
export interface Way {
  readonly progress: number;
  readonly isDone: boolean;
}

/** The polling interval (ms). */
const lookEvery = 200;
/** Without progress for so long (ms), waiting fails. */
const standstill = 180_000;

/** How long a fault waits for what it needs to have an effect (ms): processes may start slowly. */
const patience = 300_000;

/** Waits for what a fault needs to have an effect. Throws if it takes too long. */
export async function untilTrue(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + patience;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${patience / 1_000} s: ${what}`);
    await pause(lookEvery);
  }
}

/**
 * Resolves with true when done, with false after some minutes without progress: the total time depends on the machine.
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
