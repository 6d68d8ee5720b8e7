import { setTimeout as pause } from 'node:timers/promises';
import type { Release } from '@visitor-counter/test/release';
import { programArgs } from '@visitor-counter/test/service-process';
import type { PlannedFault } from './plan-faults.ts';
import { migrateTo } from './world/database.ts';
import { gatewayArgs, whileAllStopped } from './world/services.ts';
import type { World } from './world/world.ts';

/** The releases of a campaign: it begins with the previous one. */
export interface Releases {
  readonly previous: Release;
  /** Changes the schema. */
  readonly next: Release;
}

/** The upgrade of a unit, and then that of the server. `within`: the time of the campaign (ms). */
export function upgradeOnce({ next }: Releases, within: number): readonly PlannedFault[] {
  const steps: readonly [kind: string, at: number, step: (world: World) => Promise<void> | undefined][] = [
    ['unit upgraded', 0.6, ({ units: [first] }) => first?.upgrade(next)],
    ['server upgraded', 0.4, (world) => upgradeServer(world, next)],
  ];
  return steps.map(([kind, at, step]) => ({
    fault: { kind, kills: false, weight: 0, inject: async (world) => step(world) },
    at: at * within,
    seed: 0,
  }));
}

/** Stops all services, brings the tables to the next release, and starts its services. */
async function upgradeServer({ gateways, api, database, operator }: World, next: Release): Promise<void> {
  await whileAllStopped([...gateways, api], async () => {
    await migrate(database.url, next);
    operator.release = next;
    for (const { process } of gateways) await process.replace(gatewayArgs(next));
    await api.process.replace(programArgs('api', next));
  });
}

/** The database may be unavailable: an operator tries again. */
async function migrate(url: string, release: Release): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateTo(release, url);
    } catch (error) {
      if (attempt === 20) throw error;
      await pause(500);
    }
  }
}
