import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { nextRelease } from './releases/next-release.ts';
import { previousRelease } from './releases/previous-release.ts';
import { isFlawless, report } from './report.ts';
import { type CampaignProgress, runCampaign } from './run-campaign.ts';

interface Options {
  seed: number;
  kills: number;
  others: number;
  crossings: number;
  minutes: number;
  outage: number;
  units: number;
  gateways: number;
  upgrade?: true;
  json?: true;
}

const options = new Command('faults')
  .description('Attack the whole chain while it is read, and compare what it counts with the truth.')
  .option('--seed <n>', 'the same seed plans the same people and the same faults', whole, Date.now() % 1e6)
  .option('--kills <n>', 'processes to kill -9', whole, 300)
  .option('--others <n>', 'further faults', whole, 300)
  .option('--crossings <n>', 'crossings that happen', whole, 1_000_000)
  .option('--minutes <n>', 'how long faults happen', number, 15)
  .option('--outage <minutes>', 'then keep all gateways out of reach this long', number, 1)
  .option('--units <n>', 'units', whole, 8)
  .option('--gateways <n>', 'gateways', whole, 2)
  .option('--upgrade', 'upgrade from the previous release meanwhile, instead of a restore')
  .option('--json', 'print the result as JSON on standard output')
  .addHelpText(
    'after',
    '\nExit codes: 0 every crossing exactly once and no witness wrong, 1 not; the logs are then kept.',
  )
  .parse()
  .opts<Options>();

const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-faults-'));
let reporting: NodeJS.Timeout | undefined;
try {
  console.error(`seed ${options.seed}, logs in ${folder}/logs`);
  const { upgrade, ...campaign } = options;
  const releases = upgrade && {
    previous: await previousRelease(join(folder, 'previous')),
    next: await nextRelease(join(folder, 'next')),
  };
  const result = await runCampaign({ ...campaign, folder, ...(releases && { releases }) }, (progress) => {
    reporting = setInterval(() => console.error(shownProgress(progress)), 5_000);
    process.once('SIGINT', () => void breakOff(progress));
    process.once('SIGTERM', () => void breakOff(progress));
  });
  console.log(options.json ? JSON.stringify(result, undefined, 2) : report(result));
  if (isFlawless(result)) await rm(folder, { recursive: true });
  else fail(`found something: repeat it with --seed ${options.seed}; everything is kept in ${folder}`);
} catch (error) {
  console.error(error);
  fail(`the campaign broke off, seed ${options.seed}; everything is kept in ${folder}`);
} finally {
  clearInterval(reporting);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

async function breakOff({ world }: CampaignProgress): Promise<void> {
  await world.stop();
  await world.database.stop();
  await rm(folder, { recursive: true });
  process.exit(130);
}

function shownProgress({ world, injected }: CampaignProgress): string {
  const faults = [...injected.values()].reduce((sum, count) => sum + count, 0);
  const sum = (part: 'recorded' | 'acknowledged') =>
    world.units.reduce((total, { progress }) => total + progress[part], 0).toLocaleString('en-US');
  return `${faults} faults, ${sum('recorded')} recorded, ${sum('acknowledged')} acknowledged`;
}

function number(value: string): number {
  const parsed = Number(value);
  if (value.trim() !== '' && parsed >= 0 && Number.isFinite(parsed)) return parsed;
  throw new InvalidArgumentError('expected a number, 0 or more');
}

function whole(value: string): number {
  if (Number.isInteger(number(value))) return Number(value);
  throw new InvalidArgumentError('expected a whole number');
}
