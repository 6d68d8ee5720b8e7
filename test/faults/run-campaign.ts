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
import { endsOf, killsOf } from './ends.ts';
import { faults } from './faults/faults.ts';
import { restoreOnce } from './faults/restore-database.ts';
import { planFaults, withRestore } from './plan-faults.ts';
import { startWorld, type World } from './world/world.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly kills: number;
  /** Faults that kill nothing. */
  readonly others: number;
  readonly crossings: number;
  /** How long faults happen. */
  readonly minutes: number;
  /** How long all gateways are out of reach, once, after the faults; 0 for not at all (minutes). */
  readonly outage: number;
  readonly units: number;
  readonly gateways: number;
  /** Where everything is kept, `logs` among it. */
  readonly folder: string;
}

export interface CampaignResult {
  readonly seed: number;
  readonly injected: Readonly<Record<string, number>>;
  /** Processes that died of kill -9, as opposed to kills that were planned. */
  readonly kills: number;
  /** How often an agent ended by itself and named the error of its disk. */
  readonly agentEnds: number;
  /** Any other end that nobody asked for: process, exit code and last words. */
  readonly unexplainedEnds: readonly string[];
  readonly truth: number;
  readonly stored: Stored;
  readonly published: Published;
  /** What witnesses saw whenever all faults were over, the end included. */
  readonly checkpoints: readonly Checkpoint[];
  /** Answers to witnesses that are never right. */
  readonly complaints: readonly string[];
  /** How often a cursor was refused because of the restore. */
  readonly refusedCursors: number;
  /** Messages of hostile devices. */
  readonly hostileMessages: number;
  /** Lines in the logs of services that only a mistake in the code writes. */
  readonly mistakes: readonly string[];
  readonly outage?: Outage;
  /** How long the rest took to be in after the last fault (s). */
  readonly drainedIn: number | undefined;
  /** Exit codes other than 0, by process. */
  readonly uncleanStops: Readonly<Record<string, number | null>>;
  /** All in all (s). */
  readonly seconds: number;
}

/** How far a campaign has come. */
export interface CampaignProgress {
  readonly world: World;
  readonly injected: Injected;
}

/** Draws a world, attacks it, lets it drain, and holds what came out against the truth. */
export async function runCampaign(
  options: CampaignOptions,
  onBegin: (progress: CampaignProgress) => void = () => {},
): Promise<CampaignResult> {
  const begin = performance.now();
  const { folder, minutes, crossings } = options;
  const logFolder = join(folder, 'logs');
  await mkdir(logFolder, { recursive: true });
  const within = minutes * 60_000;
  const recordWithin = 1.1 * (within + 90_000 * options.outage);
  const perDay = Math.max(10, Math.ceil(crossings / Math.max(1, options.units - 2) / daysOfPast));
  const world = await startWorld({ ...options, logFolder, perDay, recordWithin });
  try {
    const campaign = await inWorld(world, { ...options, within, logFolder }, onBegin);
    return { ...campaign, seconds: secondsSince(begin) };
  } finally {
    await world.stop();
    await world.database.stop();
  }
}

/** Days on which people cross doors of the past, about: fewer than units and gateways look back. */
const daysOfPast = 250;

async function inWorld(
  world: World,
  options: CampaignOptions & { readonly within: number; readonly logFolder: string },
  onBegin: (progress: CampaignProgress) => void,
): Promise<Omit<CampaignResult, 'seconds'>> {
  const { seed, crossings: truth } = options;
  const injected: Injected = new Map();
  onBegin({ world, injected });
  const plan = withRestore(planFaults(options, faults), restoreOnce(), options);
  const checkpoints = await attack(world, plan, injected);
  const measured = options.outage > 0 ? await outage(world, options.outage * 60) : undefined;
  const begin = performance.now();
  const isDrained = await drain(world);
  const drainedIn = isDrained ? secondsSince(begin) : undefined;
  checkpoints.push(await checkpoint(world));
  const codes = await world.stop();
  return {
    ...{ seed, injected: Object.fromEntries(injected), drainedIn, truth, ...(await check(world)) },
    ...(measured && { outage: measured }),
    ...{ checkpoints, complaints: world.witnesses.complaints() },
    refusedCursors: world.witnesses.crossings.reduce((sum, { refusals }) => sum + refusals, 0),
    hostileMessages: world.hostiles.reduce((sum, { sent }) => sum + sent, 0),
    mistakes: await findMistakes(options.logFolder, servicesOf(world)),
    kills: killsOf(world),
    ...endsOf(world),
    uncleanStops: Object.fromEntries(Object.entries(codes).filter(([, code]) => code !== 0)),
  };
}

/** An agent whose disk fails ends with a fatal error, as it must. */
function servicesOf({ gateways, api }: World): string[] {
  return [...gateways, api].map(({ process }) => process.name);
}

async function check({
  units,
  companies,
  database,
}: World): Promise<{ stored: Stored; published: Published }> {
  const { url } = database;
  const truths = await inDeviceOrder(
    url,
    units.map(({ truth }) => truth),
  );
  const sids = companies.flatMap(({ stores }) => stores.map(({ sid }) => sid));
  return {
    stored: await checkStored(url, truths, sids),
    published: await checkPublished(url, companies, truths),
  };
}

function secondsSince(begin: number): number {
  return Math.round((performance.now() - begin) / 100) / 10;
}
