import { setTimeout as pause } from 'node:timers/promises';
import { untilDone } from './until.ts';
import type { World } from './world/world.ts';

/** How far the clock of a live door is moved at the end (ms), so that everybody who is still to come has crossed. */
const ahead = 12 * 3_600_000;

/** Lets the rest of the people cross at once, and waits until all is acknowledged; false when nothing goes on. */
export async function drain({ units }: World): Promise<boolean> {
  for (const { process, truth } of units) {
    process.tell('pace', 0);
    if (truth.isLive) process.tell('clock', ahead);
  }
  const hasCrossed = await untilDone(async () => ({
    progress: units.reduce((sum, { progress }) => sum + progress.recorded, 0),
    isDone: units.every(({ truth, progress }) => progress.recorded >= truth.crossings.length),
  }));
  for (const { process } of units) process.tell('clock', 0);
  return hasCrossed && untilAcknowledged(units);
}

export interface Outage {
  /** How long the gateways were out of reach (s). */
  readonly seconds: number;
  /** Crossings that were pending at its end. */
  readonly backlog: number;
  /** How long they took to be acknowledged (s); undefined when they never were. */
  readonly caughtUpIn: number | undefined;
}

/** Keeps all gateways out of reach while people still cross, then measures how long their backlog takes. */
export async function outage({ units, balancer }: World, seconds: number): Promise<Outage> {
  await untilAcknowledged(units);
  balancer.refuse();
  await pause(seconds * 1_000);
  const pending = units.map(({ progress }) => ({ progress, ...progress, through: progress.recorded }));
  const backlog = pending.reduce((sum, { through, acknowledged }) => sum + through - acknowledged, 0);
  const begin = performance.now();
  balancer.carry();
  const isDone = await untilDone(async () => ({
    progress: pending.reduce((sum, { progress }) => sum + progress.acknowledged, 0),
    isDone: pending.every(({ progress, through }) => progress.acknowledged >= through),
  }));
  return { seconds, backlog, caughtUpIn: isDone ? (performance.now() - begin) / 1_000 : undefined };
}

function untilAcknowledged(units: World['units']): Promise<boolean> {
  return untilDone(async () => ({
    progress: units.reduce((sum, { progress }) => sum + progress.acknowledged, 0),
    isDone: units.every(({ progress }) => progress.acknowledged >= progress.recorded),
  }));
}
