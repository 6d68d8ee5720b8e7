import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { attack, type Injected } from './attack.ts';
import type { Published } from './check/compare-events.ts';
import { inDeviceOrder } from './check/in-device-order.ts';
import { findMistakes } from './check/mistakes.ts';
import { checkPublished } from './check/published.ts';
import { checkStored, type Stored } from './check/stored.ts';
import { type Checkpoint, checkpoint } from './checkpoint.ts';
import { drain, type Outage, outage } from './drain.ts';
import { faults } from './faults/faults.ts';
import { restoreOnce } from './faults/restore-database.ts';
import { planFaults, withRestore } from './plan-faults.ts';
import { type Releases, upgradeOnce } from './upgrade-once.ts';
import { startWorld, type World } from './world/world.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly kills: number;
  /** Faults that kill no process. */
  readonly others: number;
  readonly crossings: number;
  /** How long faults happen. */
  readonly minutes: number;
  /** Length of one outage of all gateways after the faults (minutes); 0 for none. */
  readonly outage: number;
  readonly units: number;
  readonly gateways: number;
  /** The folder of all files, including `logs`. */
  readonly folder: string;
  /** Upgrades everything meanwhile, instead of the restore. */
  readonly releases?: Releases;
}

export interface CampaignResult {
  readonly seed: number;
  readonly injected: Readonly<Record<string, number>>;
  /** Processes that died of kill -9, as opposed to kills that were planned. */
  readonly kills: number;
  /** How often an agent exited with the error of its disk. */
  readonly agentEnds: number;
  /** Any other unexpected exit: process, exit code and last output. */
  readonly unexplainedEnds: readonly string[];
  readonly truth: number;
  readonly stored: Stored;
  readonly published: Published;
  /** The results of all checkpoints, including the last one. */
  readonly checkpoints: readonly Checkpoint[];
  /** Answers to witnesses that are always wrong. */
  readonly complaints: readonly string[];
  /** How often a cursor was refused because of the restore. */
  readonly refusedCursors: number;
  /** Messages of hostile devices. */
  readonly hostileMessages: number;
  /** Log lines of services that only a bug can cause. */
  readonly mistakes: readonly string[];
  readonly outage?: Outage;
  /** How long it took after the last fault until everything was stored (s). */
  readonly drainedIn: number | undefined;
  /** Exit codes other than 0, by process. */
  readonly uncleanStops: Readonly<Record<string, number | null>>;
  /** Total duration (s). */
  readonly seconds: number;
}

/** The progress of a campaign. */
export interface CampaignProgress {
  readonly world: World;
  readonly injected: Injected;
}

/** Draws a world, attacks it, waits until it has drained, and compares the result with the truth. */
export async function runCampaign(
  options: CampaignOptions,
  onBegin: (progress: CampaignProgress) => void = () => {},
): Promise<CampaignResult> {
  const begin = performance.now();
  const { folder, minutes, crossings } = options;
  const logFolder = join(folder, 'logs');
  await mkdir(logFolder, { recursive: true });
  const within = minutes * 60_000;
  /* Longer than the faults: with nothing to record and deliver they would have no effect. */
  const recordWithin = 1.1 * (within + 90_000 * options.outage) + 60_000;
  const perDay = Math.max(10, Math.ceil(crossings / Math.max(1, options.units - 2) / daysOfPast));
  const world = await startWorld({
    ...options,
    logFolder,
    perDay,
    recordWithin,
    ...(options.releases && { release: options.releases.previous }),
  });
  try {
    const campaign = await inWorld(world, { ...options, within, logFolder }, onBegin);
    return { ...campaign, seconds: secondsSince(begin) };
  } finally {
    await world.stop();
    await world.database.stop();
  }
}

/** Approximate number of days with crossings at doors of the past: within the limits of units and gateways. */
const daysOfPast = 250;

async function inWorld(
  world: World,
  options: CampaignOptions & { readonly within: number; readonly logFolder: string },
  onBegin: (progress: CampaignProgress) => void,
): Promise<Omit<CampaignResult, 'seconds'>> {
  const { seed, crossings: truth } = options;
  const injected: Injected = new Map();
  onBegin({ world, injected });
  const planned = planFaults(options, faults);
  const plan = options.releases
    ? [...planned, ...upgradeOnce(options.releases, options.within)].sort((a, b) => a.at - b.at)
    : withRestore(planned, restoreOnce(), options);
  const checkpoints = await attack(world, plan, injected);
  const measured = options.outage > 0 ? await outage(world, options.outage * 60) : undefined;
  const begin = performance.now();
  const isDrained = await drain(world);
  const drainedIn = isDrained ? secondsSince(begin) : undefined;
  checkpoints.push(await checkpoint(world));
  const codes = await world.stop();
  return {
    seed,
    injected: Object.fromEntries(injected),
    drainedIn,
    truth,
    ...(await check(world)),
    ...(measured && { outage: measured }),
    checkpoints,
    complaints: world.witnesses.complaints(),
    refusedCursors: world.witnesses.crossings.reduce((sum, { refusals }) => sum + refusals, 0),
    hostileMessages: world.hostiles.reduce((sum, { sent }) => sum + sent, 0),
    mistakes: await findMistakes(options.logFolder, servicesOf(world)),
    kills: killsOf(world),
    ...endsOf(world),
    uncleanStops: Object.fromEntries(Object.entries(codes).filter(([, code]) => code !== 0)),
  };
}

/** An agent whose disk fails must exit with a fatal error. */
function servicesOf({ gateways, api }: World): string[] {
  return [...gateways, api].map(({ process }) => process.name);
}

async function check({
  units,
  companies,
  database,
  operator,
}: World): Promise<{ stored: Stored; published: Published }> {
  const { url } = database;
  const truths = await inDeviceOrder(
    url,
    units.map(({ truth }) => truth),
  );
  const sids = companies.flatMap(({ stores }) => stores.map(({ sid }) => sid));
  return {
    stored: await checkStored(url, truths, sids),
    published: await checkPublished(url, companies, truths, operator.release),
  };
}

function secondsSince(begin: number): number {
  return Math.round((performance.now() - begin) / 100) / 10;
}

/** How many processes died of kill -9. */
export function killsOf({ units, gateways, api, database }: World): number {
  const processes = [...units, ...gateways, api].map(({ process }) => process);
  return processes.reduce((sum, { kills }) => sum + kills, database.kills);
}

/** The disk's errors contain a unique word. A gateway and an api must never exit. */
export function endsOf({
  units,
  gateways,
  api,
}: World): Pick<CampaignResult, 'agentEnds' | 'unexplainedEnds'> {
  const isDisk = (end: string) => end.startsWith('1: ') && /E(IO|NOSPC): injected/.test(end);
  const ofUnits = units.flatMap(({ process }) => process.ends.map((end) => ({ name: process.name, end })));
  const services = [...gateways, api].flatMap(({ process }) =>
    process.ends.map((end) => `${process.name} ${end}`),
  );
  const unexplained = ofUnits.filter(({ end }) => !isDisk(end)).map(({ name, end }) => `${name} ${end}`);
  return {
    agentEnds: ofUnits.length - unexplained.length,
    unexplainedEnds: [...services, ...unexplained],
  };
}
