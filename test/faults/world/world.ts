import { join } from 'node:path';
import { seededRandom } from '@visitor-counter/agent/beams/random';
import { Balancer } from '../proxy/balancer.ts';
import { Tap } from '../proxy/tap.ts';
import { drawTruth, type UnitTruth } from '../truth/unit-truth.ts';
import { applyCompany, stores } from './company.ts';
import { type DatabaseUnderAttack, startDatabase } from './database.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { makeUnit, type Unit } from './unit.ts';

/** Everything that a fault can be done to. */
export interface World {
  readonly units: readonly Unit[];
  readonly gateways: readonly Gateway[];
  readonly database: DatabaseUnderAttack;
  readonly balancer: Balancer;
  readonly tap: Tap;
  /** Ends units, gateways and balancer as an operator does; the exit codes by name. */
  stop(): Promise<Record<string, number | null>>;
}

export interface WorldOptions {
  readonly folder: string;
  readonly logFolder: string;
  readonly seed: number;
  readonly units: number;
  readonly gateways: number;
  readonly crossings: number;
  readonly perDay: number;
  /** How long the people take to walk, all in all (ms). */
  readonly recordWithin: number;
}

/** Starts real parts on people that follow from the seed alone. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const { folder } = options;
  const truths = drawTruths(options);
  const database = await startDatabase(join(folder, 'postgres'));
  try {
    return await startAround(database, truths, options);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function startAround(
  database: DatabaseUnderAttack,
  truths: readonly UnitTruth[],
  { folder, logFolder, seed, recordWithin, ...options }: WorldOptions,
): Promise<World> {
  await applyCompany(database.url, truths);
  const gateways = await Promise.all(
    Array.from({ length: options.gateways }, (_, index) =>
      startGateway(`gateway-${index}`, database.url, logFolder),
    ),
  );
  const tap = new Tap(seededRandom(seed));
  const balancer = new Balancer(() => gateways.map(({ port }) => port), tap);
  const port = await balancer.listen();
  const units = await Promise.all(
    truths.map((truth) => {
      const pace = Math.round(recordWithin / truth.days);
      return makeUnit({ truth, folder: join(folder, truth.serial), logFolder, port, pace });
    }),
  );
  await Promise.all(units.map(({ process }) => process.start()));
  const processes = [...units, ...gateways].map(({ process }) => process);
  return {
    ...{ units, gateways, database, balancer, tap },
    stop: async () => {
      const codes: [string, number | null][] = [];
      for (const process of processes) codes.push([process.name, await process.stop()]);
      await balancer.close();
      return Object.fromEntries(codes);
    },
  };
}

function drawTruths({ seed, units, crossings, perDay }: WorldOptions): UnitTruth[] {
  return Array.from({ length: units }, (_, index) => {
    const { sid: store = '', timeZone = '' } = stores[index % stores.length] ?? {};
    const share = Math.floor(((index + 1) * crossings) / units) - Math.floor((index * crossings) / units);
    const door = { serial: `CU-${String(index).padStart(4, '0')}`, store, timeZone };
    return drawTruth(door, { crossings: share, perDay }, seededRandom(seed * 1_000 + index));
  });
}
