import { setTimeout as pause } from 'node:timers/promises';
import { readLag } from '@visitor-counter/database/projection/projection';
import { connect } from '@visitor-counter/database/sql/connect';
import { untilDone } from './until.ts';
import type { World } from './world/world.ts';

/** How far the clock of a live door is advanced at the end (ms), so that all remaining people have crossed. */
const ahead = 12 * 3_600_000;

/**
 * Lets the remaining people cross immediately, and waits until all crossings are acknowledged and in the projection; false
 * without progress.
 */
export async function drain({ units, database }: World): Promise<boolean> {
  for (const { process, truth } of units) {
    process.set('pace', 0);
    if (truth.isLive) process.set('clock', ahead);
  }
  const hasCrossed = await untilDone(async () => ({
    progress: units.reduce((sum, { progress }) => sum + progress.recorded, 0),
    isDone: units.every(({ truth, progress }) => progress.recorded >= truth.crossings.length),
  }));
  for (const { process } of units) process.set('clock', 0);
  return hasCrossed && (await untilAcknowledged(units)) && (await untilProjected(database.url));
}

async function untilProjected(url: string): Promise<boolean> {
  const { kysely, close } = connect(url, { applicationName: 'fault campaign', maxConnections: 1 });
  return await untilDone(async () => {
    const { marks } = await readLag({ kysely });
    return { progress: -marks, isDone: marks === 0 };
  }).finally(close);
}

export interface Outage {
  /** How long the gateways were unreachable (s). */
  readonly seconds: number;
  /** Crossings that were pending at its end. */
  readonly backlog: number;
  /** How long until they were acknowledged (s); undefined if they never were. */
  readonly caughtUpIn: number | undefined;
}

/** Makes all gateways unreachable while people cross, then measures how long the pending crossings take. */
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
