import { hashOf, seededRandom, shuffled } from '@visitor-counter/simulation/random';
import type { Fault } from './faults/fault.ts';
import type { Restore } from './faults/restore-database.ts';

/** A planned fault. */
export interface PlannedFault {
  readonly fault: Fault;
  /** When it begins (ms after the start). */
  readonly at: number;
  /** The seed of its random decisions. */
  readonly seed: number;
}

export interface FaultPlan {
  readonly seed: number;
  /** How many faults kill a process, and how many do not. */
  readonly kills: number;
  readonly others: number;
  /** The time in which they happen (ms). */
  readonly within: number;
}

/** Draws the faults and their times and targets: the same seed gives the same plan. */
export function planFaults(
  { seed, kills, others, within }: FaultPlan,
  kinds: readonly Fault[],
): PlannedFault[] {
  const random = seededRandom(hashOf(`plan ${seed}`));
  const killing = kinds.filter((fault) => fault.kills);
  const drawn = [
    ...draw(killing, kills, random),
    ...draw(
      kinds.filter((fault) => !fault.kills),
      others,
      random,
    ),
  ];
  const spacing = within / Math.max(drawn.length, 1);
  return shuffled(drawn, random).map((fault, index) => ({
    fault,
    at: Math.floor((index + random()) * spacing),
    seed: hashOf(`fault ${seed} ${index}`),
  }));
}

/** The same plan with a backup in its first half, and the restore of it in the second. */
export function withRestore(
  plan: readonly PlannedFault[],
  { backUp, restore }: Restore,
  { seed, within }: FaultPlan,
): PlannedFault[] {
  const random = seededRandom(hashOf(`restore ${seed}`));
  const backupAt = within * (0.1 + 0.35 * random());
  const restoreAt = within * (0.55 + 0.3 * random());
  const added = [
    { fault: backUp, at: backupAt, seed: hashOf(`backup ${seed}`) },
    { fault: restore, at: restoreAt, seed: hashOf(`restored ${seed}`) },
  ];
  return [...plan, ...added].sort((a, b) => a.at - b.at);
}

/** Each kind at least once if the count allows it, the rest by weight. */
function draw(kinds: readonly Fault[], count: number, random: () => number): Fault[] {
  const lots = kinds.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  return Array.from({ length: count }, (_, index) => {
    const drawn = kinds[index] ?? lots[Math.floor(random() * lots.length)];
    if (drawn === undefined) throw new Error('no faults to draw from');
    return drawn;
  });
}
