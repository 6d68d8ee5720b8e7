import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { attack, type Injected } from './attack.ts';
import type { Published } from './check/compare-events.ts';
import { inDeviceOrder } from './check/in-device-order.ts';
import { findMistakes } from './check/mistakes.ts';
import { checkPublished } from './check/published.ts';
import { checkStored, type Stored } from './check/stored.ts';
import { checkpoint } from './checkpoint.ts';
import { drain } from './drain.ts';
import { faults } from './faults/faults.ts';
import { restoreOnce } from './faults/restore-database.ts';
import { planFaults, withRestore } from './plan-faults.ts';
import { startWorld, type World } from './world/world.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly kills: number;
  /** Faults that kill no process. */
  readonly others: number;
  readonly crossings: number;
  /** How long faults happen. */
  readonly minutes: number;
  readonly units: number;
  readonly gateways: number;
  /** The folder of all files, including `logs`. */
  readonly folder: string;
}

export interface CampaignResult {
  readonly injected: Readonly<Record<string, number>>;
  /** Processes that died of kill -9, as opposed to kills that were planned. */
  readonly kills: number;
  readonly stored: Stored;
  readonly published: Published;
  /**
   * Copies that were wrong at a checkpoint, answers that are always wrong, ends that nobody asked for, and log lines of
   * services that only a bug can cause.
   */
  readonly problems: readonly string[];
}

/** Approximate number of days with crossings at doors of the past: within the limits of units and gateways. */
const daysOfPast = 250;

/**
 * Draws a world, attacks it, waits until it has drained, and compares the result with the truth. `onStopped` is called with
 * the URL of the database when no service uses it.
 */
export async function runCampaign(
  options: CampaignOptions,
  onStopped: (databaseUrl: string) => Promise<unknown>,
): Promise<CampaignResult> {
  const { folder, minutes, crossings, units } = options;
  const logFolder = join(folder, 'logs');
  await mkdir(logFolder, { recursive: true });
  const within = minutes * 60_000;
  const world = await startWorld({
    ...options,
    logFolder,
    perDay: Math.max(10, Math.ceil(crossings / Math.max(1, units - 2) / daysOfPast)),
    /* Longer than the faults: with nothing to record and deliver they would have no effect. */
    recordWithin: 1.1 * within + 60_000,
  });
  try {
    const injected: Injected = new Map();
    const plan = withRestore(planFaults({ ...options, within }, faults), restoreOnce(), {
      ...options,
      within,
    });
    const problems = await attack(world, plan, injected);
    if (!(await drain(world))) problems.push('crossings were not delivered');
    problems.push(...(await checkpoint(world)), ...(await world.stop()));
    await onStopped(world.database.url);
    const result = await check(world);
    problems.push(...world.witnesses.flatMap(({ complaints }) => complaints), ...unexplainedEnds(world));
    problems.push(...(await findMistakes(logFolder, servicesOf(world))));
    return { injected: Object.fromEntries(injected), kills: killsOf(world), ...result, problems };
  } finally {
    await world.stop();
    await world.database.stop();
  }
}

async function check({ units, companies, database: { url } }: World) {
  const truths = await inDeviceOrder(
    url,
    units.map(({ truth }) => truth),
  );
  return { stored: await checkStored(url, truths), published: await checkPublished(url, companies, truths) };
}

/** An agent whose disk fails must exit with a fatal error. */
function servicesOf({ gateways, api }: World): string[] {
  return [...gateways, api].map(({ process }) => process.name);
}

function killsOf({ units, gateways, api, database }: World): number {
  const processes = [...units, ...gateways, api].map(({ process }) => process);
  return processes.reduce((sum, { kills }) => sum + kills, database.kills);
}

/** The disk's errors contain a unique word. A gateway and an api must never exit. */
function unexplainedEnds({ units, gateways, api }: World): string[] {
  const isDisk = (end: string) => end.startsWith('1: ') && /E(IO|NOSPC): injected/.test(end);
  const ofUnits = units.map(({ process: { name, ends } }) => ({
    name,
    ends: ends.filter((end) => !isDisk(end)),
  }));
  const ofServices = [...gateways, api].map(({ process }) => process);
  return [...ofUnits, ...ofServices].flatMap(({ name, ends }) => ends.map((end) => `${name} ended: ${end}`));
}
