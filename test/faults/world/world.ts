import { join } from 'node:path';
import { seededRandom } from '@visitor-counter/simulation/random';
import { CrossingsWitness } from '../check/crossings-witness.ts';
import { Balancer } from '../proxy/balancer.ts';
import { Tap } from '../proxy/tap.ts';
import { drawTruths, type TruthOptions } from '../truth/draw-truths.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { applyCompanies, type CampaignCompany, drawCompanies } from './company.ts';
import { type DatabaseUnderAttack, startDatabase } from './database.ts';
import { type Api, type Gateway, makeApi, makeGateway } from './services.ts';
import type { Supervised } from './supervised.ts';
import { makeUnit, type Unit } from './unit.ts';

/** All targets of faults, and the integrators that read meanwhile. */
export interface World {
  readonly companies: readonly CampaignCompany[];
  readonly units: readonly Unit[];
  readonly gateways: readonly Gateway[];
  readonly api: Api;
  readonly database: DatabaseUnderAttack;
  readonly balancer: Balancer;
  readonly tap: Tap;
  readonly witnesses: readonly CrossingsWitness[];
  /** Serial numbers of devices that an operator has moved, or tried to. */
  readonly moved: Set<string>;
  /** Stops everything except the database as an operator does; returns which processes did not end cleanly. */
  stop(): Promise<string[]>;
}

export interface WorldOptions extends Omit<TruthOptions, 'now' | 'companies'> {
  readonly folder: string;
  readonly logFolder: string;
  readonly gateways: number;
}

/** How long a commit takes on the disk of a unit whose people cross one by one (ms). */
const livePace = 20;

/** Starts real parts, with people drawn from the seed and the current date. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const now = Date.now();
  const companies = drawCompanies(now);
  const truths = drawTruths({ ...options, companies, now });
  const database = await startDatabase(join(options.folder, 'postgres'));
  try {
    return await startAround(database, companies, truths, options);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function startAround(
  database: DatabaseUnderAttack,
  companies: readonly CampaignCompany[],
  truths: readonly UnitTruth[],
  { folder, logFolder, seed, recordWithin, ...options }: WorldOptions,
): Promise<World> {
  /* Only a start that fails stops what it has started: the world stops it otherwise. */
  await using started = new AsyncDisposableStack();
  const start = async (processes: readonly Supervised[]) => {
    for (const process of processes) started.defer(async () => void (await process.stop()));
    await Promise.all(processes.map((process) => process.start()));
  };
  await applyCompanies(database.url, companies, truths);
  const service = { databaseUrl: database.url, logFolder };
  const names = Array.from({ length: options.gateways }, (_, index) => `gateway-${index}`);
  const gateways = await Promise.all(names.map((name) => makeGateway(name, service)));
  const api = await makeApi(service);
  const services = [...gateways, api].map(({ process }) => process);
  await start(services);
  const tap = new Tap(seededRandom(seed));
  const balancer = new Balancer(() => gateways.map(({ port }) => port), tap);
  const port = await balancer.listen();
  started.defer(() => balancer.close());
  const units = await Promise.all(
    truths.map((truth) => {
      const pace = truth.isLive ? livePace : Math.round(recordWithin / truth.days);
      return makeUnit({ truth, folder: join(folder, truth.serial), logFolder, port, pace });
    }),
  );
  const agents = units.map(({ process }) => process);
  await start(agents);
  const moved = new Set<string>();
  const witnesses = companies.map((company) => new CrossingsWitness(api.url, company, moved));
  started.move();
  return {
    companies,
    units,
    gateways,
    api,
    database,
    balancer,
    tap,
    witnesses,
    moved,
    stop: async () => {
      await Promise.all(witnesses.map((witness) => witness.close()));
      const unclean: string[] = [];
      for (const process of [...agents, ...services]) {
        const code = await process.stop();
        if (code !== 0) unclean.push(`${process.name} ended with ${code}`);
      }
      await balancer.close();
      return unclean;
    },
  };
}
