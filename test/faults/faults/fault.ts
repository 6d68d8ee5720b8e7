import { untilTrue } from '../until.ts';
import type { Unit } from '../world/unit.ts';
import type { World } from '../world/world.ts';

/** A fault, which has ended when `inject` resolves. */
export interface Fault {
  readonly kind: string;
  /** Whether it kills a process. */
  readonly kills: boolean;
  /** Its weight among the faults that kill, or among those that do not. */
  readonly weight: number;
  /** Injects the fault. `random`, in [0, 1), is its only source of randomness. */
  inject(world: World, random: () => number): Promise<void>;
}

/** A random element. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** A random unit, once it is connected: a process that is starting does not notice most faults. */
export async function pickConnected({ units, balancer }: World, random: () => number): Promise<Unit> {
  const unit = pick(units, random);
  const { serial } = unit.truth;
  await untilTrue(() => balancer.links(serial).length > 0, `${serial} is connected`);
  return unit;
}

/** A whole number, `low` to `high`, both included. */
export function between(low: number, high: number, random: () => number): number {
  return low + Math.floor(random() * (high - low + 1));
}
