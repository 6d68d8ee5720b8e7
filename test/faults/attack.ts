import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@visitor-counter/simulation/random';
import { checkpoint } from './checkpoint.ts';
import type { PlannedFault } from './plan-faults.ts';
import type { World } from './world/world.ts';

/** The injected faults, by kind. */
export type Injected = Map<string, number>;

/** Approximate number of faults between two checkpoints. */
const perCheckpoint = 25;
const mostCheckpoints = 12;

/**
 * Injects the planned faults, with checkpoints in between, and ends all faults. Returns what was wrong at the checkpoints.
 * Throws if a fault could not be injected.
 */
export async function attack(
  world: World,
  plan: readonly PlannedFault[],
  injected: Injected,
): Promise<string[]> {
  const wrong: string[] = [];
  let begin = performance.now();
  for (const part of partsOf(plan)) {
    await attackPart(world, part, begin, injected);
    heal(world);
    const pauseBegins = performance.now();
    wrong.push(...(await checkpoint(world)));
    begin += performance.now() - pauseBegins;
  }
  return wrong;
}

function partsOf(plan: readonly PlannedFault[]): PlannedFault[][] {
  const count = Math.max(1, Math.min(mostCheckpoints, Math.round(plan.length / perCheckpoint)));
  const length = Math.ceil(plan.length / count);
  return Array.from({ length: count }, (_, index) => plan.slice(index * length, (index + 1) * length));
}

/** `begin`: the start of the plan. Resolves when all faults have ended. */
async function attackPart(
  world: World,
  plan: readonly PlannedFault[],
  begin: number,
  injected: Injected,
): Promise<void> {
  const pending: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (const { fault, at, seed } of plan) {
    await pause(Math.max(0, begin + at - performance.now()));
    injected.set(fault.kind, (injected.get(fault.kind) ?? 0) + 1);
    pending.push(fault.inject(world, seededRandom(seed)).catch((error) => void failures.push(error)));
  }
  await Promise.all(pending);
  if (failures.length > 0) throw new AggregateError(failures, 'faults could not be injected');
}

/** Ends all lasting faults. */
function heal({ balancer, units, gateways }: World): void {
  balancer.heal();
  for (const { process } of [...units, ...gateways]) process.set('clock', 0);
  for (const { process } of units) process.set('full', 'no');
}
