import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@visitor-counter/agent/beams/random';
import type { PlannedFault } from './plan-faults.ts';
import type { World } from './world/world.ts';

/** What was done to a world, by kind. */
export type Injected = Map<string, number>;

/** Does to the world what is planned, and leaves it healed. Throws when a fault could not be done. */
export async function attack(world: World, plan: readonly PlannedFault[], injected: Injected): Promise<void> {
  const begin = performance.now();
  const under: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (const { fault, at, seed } of plan) {
    await pause(Math.max(0, begin + at - performance.now()));
    injected.set(fault.kind, (injected.get(fault.kind) ?? 0) + 1);
    under.push(fault.inject(world, seededRandom(seed)).catch((error) => void failures.push(error)));
  }
  await Promise.all(under);
  heal(world);
  if (failures.length > 0) throw new AggregateError(failures, 'faults could not be injected');
}

function heal({ balancer, units, gateways }: World): void {
  balancer.carry();
  for (const { process } of [...units, ...gateways]) process.tell('clock', 0);
  for (const { process } of units) process.tell('full', false);
}
