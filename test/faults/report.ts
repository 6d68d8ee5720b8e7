import type { Outage } from './drain.ts';
import type { CampaignResult } from './run-campaign.ts';

type Line = readonly [name: string, value: string | number];
const gap: Line = ['', ''];

/** The result for people: first the findings in words, then a table. */
export function report(result: CampaignResult): string {
  const table = [...faultLines(result), gap, ...storedLines(result), gap, ...witnessLines(result), gap];
  const rows = [...table, ...endLines(result)].map(([name, value]) =>
    `${name.padEnd(50)}${shown(value).padStart(12)}`.trimEnd(),
  );
  return [...findings(result), ...rows].join('\n');
}

/** Whether every crossing is stored exactly once, no witness was wrong, and everything finished in time. */
export function isFlawless(result: CampaignResult): boolean {
  const { truth, stored, published, outage, drainedIn } = result;
  const flaws = [stored.lost, stored.doubled, stored.invented, stored.misplaced, stored.rejected];
  flaws.push(stored.wrongQuarters, result.unexplainedEnds.length, result.mistakes.length);
  flaws.push(published.lost, published.doubled, published.wrong, Object.keys(result.uncleanStops).length);
  flaws.push(wrongCheckpoints(result).length, result.complaints.length);
  return (
    flaws.every((flaw) => flaw === 0) &&
    stored.crossings === truth &&
    published.events === truth &&
    drainedIn !== undefined &&
    (outage === undefined || isCaughtUpInTime(outage))
  );
}

/** Units must deliver their pending crossings in half the time of the outage. */
function isCaughtUpInTime({ seconds, caughtUpIn }: Outage): boolean {
  return caughtUpIn !== undefined && caughtUpIn <= seconds / 2;
}

function wrongCheckpoints({ checkpoints }: CampaignResult): CampaignResult['checkpoints'] {
  return checkpoints.filter(({ storedIn, agreedIn }) => storedIn === undefined || agreedIn === undefined);
}

function findings(result: CampaignResult): string[] {
  const { unexplainedEnds, mistakes, complaints, checkpoints } = result;
  const wrong = checkpoints.flatMap((checkpoint, index) =>
    checkpoint.wrong.map((text) => `checkpoint ${index + 1}: ${text}`),
  );
  return [...unexplainedEnds, ...mistakes, ...complaints, ...wrong];
}

function faultLines({
  injected,
  kills,
  agentEnds,
  unexplainedEnds,
  hostileMessages,
  truth,
}: CampaignResult): Line[] {
  const kinds: Line[] = Object.entries(injected).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...kinds,
    ['messages of hostile units', hostileMessages],
    gap,
    ['processes killed', kills],
    ['agents ended by a failing disk', agentEnds],
    ['other ends that nobody asked for', unexplainedEnds.length],
    ['crossings that happened', truth],
  ];
}

function storedLines({ stored, published }: CampaignResult): Line[] {
  return [
    ['stored', stored.crossings],
    ['  lost', stored.lost],
    ['  doubled', stored.doubled],
    ['  invented', stored.invented],
    ['  misplaced', stored.misplaced],
    ['  rejected messages', stored.rejected],
    ['  quarter hours of wrong occupancy', stored.wrongQuarters],
    ['published by the api', published.events],
    ['  lost', published.lost],
    ['  doubled', published.doubled],
    ['  wrong amount or order', published.wrong],
  ];
}

function witnessLines(result: CampaignResult): Line[] {
  const { checkpoints, refusedCursors, complaints, mistakes } = result;
  return [
    ['checkpoints', checkpoints.length],
    ['  with a witness that was wrong', wrongCheckpoints(result).length],
    ['  all stored after (s), at most', Math.max(...checkpoints.map(({ storedIn = Infinity }) => storedIn))],
    [
      '  witnesses right after (ms), at most',
      Math.max(...checkpoints.map(({ agreedIn = Infinity }) => agreedIn)),
    ],
    ['cursors refused after the restore', refusedCursors],
    ['answers that are never right', complaints.length],
    ['mistakes in logs', mistakes.length],
  ];
}

function endLines({ outage, drainedIn, uncleanStops, seconds, seed }: CampaignResult): Line[] {
  const afterOutage: Line[] = outage
    ? [
        [`outage of ${outage.seconds} s: backlog`, outage.backlog],
        ['  caught up in (s)', outage.caughtUpIn?.toFixed(1) ?? 'not at all'],
      ]
    : [];
  const ends = Object.entries(uncleanStops).map(([name, code]): Line => [`${name} ended with`, `${code}`]);
  return [
    ...afterOutage,
    ['delivered and shown after the end in (s)', drainedIn ?? 'not at all'],
    ...ends,
    ['duration (s)', seconds],
    ['seed', `${seed}`],
  ];
}

function shown(value: string | number): string {
  if (value === Infinity) return 'not in time';
  return typeof value === 'number' ? value.toLocaleString('en-US') : value;
}
