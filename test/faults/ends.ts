import type { CampaignResult } from './run-campaign.ts';
import { isRefusedRelease } from './upgrade-once.ts';
import type { World } from './world/world.ts';

/** How many processes died of kill -9. */
export function killsOf({ units, gateways, api, database }: World): number {
  const processes = [...units, ...gateways, api].map(({ process }) => process);
  return processes.reduce((sum, { kills }) => sum + kills, database.kills);
}

/**
 * The disk's errors contain a unique word. A gateway and an api must never exit, except when a later release has ended
 * theirs.
 */
export function endsOf({
  units,
  gateways,
  api,
}: World): Pick<CampaignResult, 'agentEnds' | 'unexplainedEnds'> {
  const isDisk = (end: string) => end.startsWith('1: ') && /E(IO|NOSPC): injected/.test(end);
  const ofUnits = units.flatMap(({ process }) => process.ends.map((end) => ({ name: process.name, end })));
  const services = [...gateways, api].flatMap(({ process }) =>
    process.ends.flatMap((end) => (isRefusedRelease(end) ? [] : `${process.name} ${end}`)),
  );
  const unexplained = ofUnits.filter(({ end }) => !isDisk(end)).map(({ name, end }) => `${name} ${end}`);
  return {
    agentEnds: ofUnits.length - unexplained.length,
    unexplainedEnds: [...services, ...unexplained],
  };
}
