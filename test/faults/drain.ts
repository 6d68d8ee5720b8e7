import { untilDone } from './until.ts';
import type { World } from './world/world.ts';

/** How far the clock of a live door is advanced at the end (ms), so that all remaining people have crossed. */
const ahead = 12 * 3_600_000;

/** Lets the remaining people cross immediately, and waits until all crossings are acknowledged; false without progress. */
export async function drain({ units }: World): Promise<boolean> {
  for (const { process, truth } of units) {
    process.set('pace', 0);
    if (truth.isLive) process.set('clock', ahead);
  }
  const hasCrossed = await untilDone(async () => ({
    progress: units.reduce((sum, { progress }) => sum + progress.recorded, 0),
    isDone: units.every(({ truth, progress }) => progress.recorded >= truth.crossings.length),
  }));
  for (const { process } of units) process.set('clock', 0);
  const isAcknowledged = await untilDone(async () => ({
    progress: units.reduce((sum, { progress }) => sum + progress.acknowledged, 0),
    isDone: units.every(({ progress }) => progress.acknowledged >= progress.recorded),
  }));
  return hasCrossed && isAcknowledged;
}
