import { setTimeout as pause } from 'node:timers/promises';
import type { Release } from '@visitor-counter/test/release';
import { programArgs } from '@visitor-counter/test/service-process';
import type { Fault } from './faults/fault.ts';
import type { PlannedFault } from './plan-faults.ts';
import { migrateTo } from './world/database.ts';
import { gatewayArgs } from './world/services.ts';
import type { World } from './world/world.ts';

/** The releases of a campaign: it begins with the previous one. */
export interface Releases {
  readonly previous: Release;
  /** Expands the schema. */
  readonly next: Release;
  /** Contracts it: the previous release can no longer serve. */
  readonly later: Release;
}

/** How long a gateway may serve after the schema was contracted (ms). */
const noticeWithin = 30_000;

/** The last output of a process that a later release has ended, with its exit code. */
export function isRefusedRelease(end: string): boolean {
  return /^2: [\s\S]*the database is .*expected a schema that serves release .*Upgrade this program/.test(
    end,
  );
}

/**
 * The steps of upgrading everything but one gateway, with one way back, and of the contraction that ends this gateway.
 * `within`: the time of the campaign (ms).
 */
export function upgradeOnce({ previous, next, later }: Releases, within: number): readonly PlannedFault[] {
  const runAs =
    (release: Release) =>
    ({ gateways: [, last] }: World) =>
      last?.process.replace(gatewayArgs(release));
  const steps: readonly [kind: string, at: number, step: (world: World) => Promise<void> | undefined][] = [
    ['unit upgraded', 0.05, ({ units: [first] }) => first?.upgrade(next)],
    ['schema expanded', 0.1, (world) => migrateAs(world, next)],
    ['gateway upgraded', 0.25, runAs(next)],
    ['api upgraded', 0.35, ({ api }) => api.process.replace(programArgs('api', next))],
    ['gateway back at the previous release', 0.45, runAs(previous)],
    ['gateway upgraded again', 0.6, runAs(next)],
    ['schema contracted', 0.75, (world) => contract(world, later)],
  ];
  return steps.map(([kind, at, step]) => ({
    fault: { kind, kills: false, weight: 0, inject: async (world) => step(world) } satisfies Fault,
    at: at * within,
    seed: 0,
  }));
}

/** The database may be unavailable: an operator tries again. */
async function migrateAs({ database, operator }: World, release: Release): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrateTo(release, database.url);
      operator.release = release;
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await pause(500);
    }
  }
}

/** The gateway of the previous release must end and say why; it is then upgraded, as it says. */
async function contract(world: World, later: Release): Promise<void> {
  await migrateAs(world, later);
  const [old] = world.gateways;
  const deadline = Date.now() + noticeWithin;
  while (old?.process.ends.some(isRefusedRelease) === false) {
    if (Date.now() > deadline) throw new Error('the gateway of the previous release has not ended');
    await pause(100);
  }
  await old?.process.replace(gatewayArgs(later));
}
