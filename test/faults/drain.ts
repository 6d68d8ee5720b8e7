import { setTimeout as pause } from 'node:timers/promises';
import type { World } from './world/world.ts';

/** Lets the rest of the people walk at once, and waits until all is acknowledged, at most `bound` ms. */
export async function drain({ units }: World, bound: number): Promise<boolean> {
  for (const { process } of units) process.tell('pace', 0);
  return until(bound, () =>
    units.every(({ truth, progress }) => progress.acknowledged >= truth.crossings.length),
  );
}

export interface Outage {
  /** How long the gateways were out of reach (s). */
  readonly seconds: number;
  /** Crossings that were waiting at its end. */
  readonly backlog: number;
  /** How long they took to be in (s); undefined when it was longer than half the outage. */
  readonly caughtUpIn: number | undefined;
}

/** Keeps all gateways out of reach while people go on walking, then measures how long their backlog takes. */
export async function outage({ units, balancer }: World, seconds: number): Promise<Outage> {
  await until(60_000, () => units.every(({ progress }) => progress.acknowledged >= progress.recorded));
  balancer.refuse();
  await pause(seconds * 1_000);
  const waiting = units.map(({ progress }) => ({ progress, ...progress, through: progress.recorded }));
  const backlog = waiting.reduce((sum, { through, acknowledged }) => sum + through - acknowledged, 0);
  const begin = performance.now();
  balancer.carry();
  const done = await until(seconds * 500, () =>
    waiting.every(({ progress, through }) => progress.acknowledged >= through),
  );
  const caughtUpIn = done ? (performance.now() - begin) / 1_000 : undefined;
  return { seconds, backlog, caughtUpIn };
}

async function until(bound: number, reached: () => boolean): Promise<boolean> {
  const deadline = performance.now() + bound;
  while (!reached()) {
    if (performance.now() > deadline) return false;
    await pause(50);
  }
  return true;
}
