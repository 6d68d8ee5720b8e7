import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { attack, type Injected } from './attack.ts';
import type { Published } from './check/compare-events.ts';
import { inDeviceOrder } from './check/in-device-order.ts';
import { checkPublished } from './check/published.ts';
import { checkStored, type Stored } from './check/stored.ts';
import { drain, type Outage, outage } from './drain.ts';
import { faults } from './faults/faults.ts';
import { planFaults } from './plan-faults.ts';
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
  const perDay = Math.max(10, Math.ceil(crossings / options.units / 1_500));
  const world = await startWorld({ ...options, logFolder, perDay, recordWithin });
  try {
    const campaign = await inWorld(world, options, within, onBegin);
    return { ...campaign, seconds: secondsSince(begin) };
  } finally {
    await world.stop();
    await world.database.stop();
  }
}

async function inWorld(
  world: World,
  options: CampaignOptions,
  within: number,
  onBegin: (progress: CampaignProgress) => void,
): Promise<Omit<CampaignResult, 'seconds'>> {
  const { seed, crossings: truth } = options;
  const injected: Injected = new Map();
  onBegin({ world, injected });
  const plan = planFaults({ ...options, within }, faults);
  await attack(world, plan, injected);
  const measured = options.outage > 0 ? await outage(world, options.outage * 60) : undefined;
  const begin = performance.now();
  const isDrained = await drain(world, Math.max(60_000, within / 2));
  const drainedIn = isDrained ? secondsSince(begin) : undefined;
  const codes = await world.stop();
  return {
    ...{ seed, injected: Object.fromEntries(injected), drainedIn, truth, ...(await check(world)) },
    ...(measured && { outage: measured }),
    kills: killsOf(world),
    ...endsOf(world),
    uncleanStops: Object.fromEntries(Object.entries(codes).filter(([, code]) => code !== 0)),
  };
}

function killsOf({ units, gateways, database }: World): number {
  const processes = [...units, ...gateways].map(({ process }) => process);
  return processes.reduce((sum, { kills }) => sum + kills, database.kills);
}

/** The disk's errors carry a word that nothing else says. A gateway has no reason to end. */
function endsOf({ units, gateways }: World): Pick<CampaignResult, 'agentEnds' | 'unexplainedEnds'> {
  const isDisk = (end: string) => end.startsWith('1: ') && /E(IO|NOSPC): injected/.test(end);
  const ofUnits = units.flatMap(({ process }) => process.ends.map((end) => ({ name: process.name, end })));
  const ofGateways = gateways.flatMap(({ process }) => process.ends.map((end) => `${process.name} ${end}`));
  const unexplained = ofUnits.filter(({ end }) => !isDisk(end)).map(({ name, end }) => `${name} ${end}`);
  return {
    agentEnds: ofUnits.length - unexplained.length,
    unexplainedEnds: [...ofGateways, ...unexplained],
  };
}

async function check({ units, database }: World): Promise<{ stored: Stored; published: Published }> {
  const { url } = database;
  const truths = await inDeviceOrder(
    url,
    units.map(({ truth }) => truth),
  );
  return { stored: await checkStored(url, truths), published: await checkPublished(url, truths) };
}

/** Every crossing of the truth is there exactly once, and everything came to its end in time. */
export function isFlawless(result: CampaignResult): boolean {
  const { truth, stored, published, outage, drainedIn, uncleanStops } = result;
  const flaws = [stored.lost, stored.doubled, stored.invented, stored.misplaced, stored.rejected];
  flaws.push(stored.wrongQuarters, result.unexplainedEnds.length);
  flaws.push(published.lost, published.doubled, published.wrong, Object.keys(uncleanStops).length);
  return (
    flaws.every((flaw) => flaw === 0) &&
    stored.crossings === truth &&
    published.events === truth &&
    drainedIn !== undefined &&
    (outage === undefined || outage.caughtUpIn !== undefined)
  );
}

function secondsSince(begin: number): number {
  return Math.round((performance.now() - begin) / 100) / 10;
}
