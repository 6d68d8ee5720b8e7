import type { World } from '../world/world.ts';

/** Something that goes wrong, and is over when `inject` resolves. */
export interface Fault {
  readonly kind: string;
  /** Whether a process is killed by it. */
  readonly kills: boolean;
  /** How often it is drawn, relative to the others that kill, or to the others that do not. */
  readonly weight: number;
  /** What it does follows from `random`, which is in [0, 1), and from nothing else that is by chance. */
  inject(world: World, random: () => number): Promise<void>;
}

/** One of several. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** A whole number, `low` to `high`, both included. */
export function between(low: number, high: number, random: () => number): number {
  return low + Math.floor(random() * (high - low + 1));
}
