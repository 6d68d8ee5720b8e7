import type { CampaignResult } from './run-campaign.ts';

/** The result as people read it. */
export function report(result: CampaignResult): string {
  const { seed, injected, kills, agentEnds, truth, stored, published, outage } = result;
  const lines: [string, string | number][] = Object.entries(injected).sort(([a], [b]) => (a < b ? -1 : 1));
  lines.push(['', ''], ['processes killed', kills], ['agents ended by a failing disk', agentEnds]);
  lines.push(['other ends that nobody asked for', result.unexplainedEnds.length]);
  lines.push(['crossings that happened', truth], ['', '']);
  lines.push(['stored', stored.crossings], ['  lost', stored.lost], ['  doubled', stored.doubled]);
  lines.push(['  invented', stored.invented], ['  misplaced', stored.misplaced]);
  lines.push(['  rejected messages', stored.rejected]);
  lines.push(['  quarter hours of wrong occupancy', stored.wrongQuarters]);
  lines.push(['told by the api', published.events], ['  lost', published.lost]);
  lines.push(['  doubled', published.doubled], ['  wrong amount or order', published.wrong], ['', '']);
  if (outage) {
    lines.push([`outage of ${outage.seconds} s: backlog`, outage.backlog]);
    lines.push(['  caught up in (s)', outage.caughtUpIn?.toFixed(1) ?? `over ${outage.seconds / 2}`]);
  }
  lines.push(['drained after the end in (s)', result.drainedIn ?? 'not at all']);
  for (const [name, code] of Object.entries(result.uncleanStops))
    lines.push([`${name} ended with`, `${code}`]);
  lines.push(['duration (s)', result.seconds], ['seed', seed]);
  return lines.map(([name, value]) => `${name.padEnd(50)}${shown(value).padStart(12)}`.trimEnd()).join('\n');
}

function shown(value: string | number): string {
  return typeof value === 'number' ? value.toLocaleString('en-US') : value;
}
