import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { openBeams } from '../beams/open-beams.ts';
import { loadConfig } from '../config/load-config.ts';
import { firstOf, learnLines } from '../learn/learn-lines.ts';
import { gatherWalks } from '../learn/walks.ts';
import { learnedBeams, writeLearned } from '../learn/write-learned.ts';
import { askOnce } from '../local/ask-agent.ts';
import { chooseDoor } from './choose-door.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import type { WatchOptions } from './watch.ts';

/** So often somebody walks in. */
const walksNeeded = 3;

/**
 * Finds swapped beams and inverted levels from three walks inwards and writes them into the configuration.
 * Exit code 0, or 1 when nothing was learned; then the file stays as it is. Throws ConfigurationError.
 */
export async function learn(options: WatchOptions, process: NodeJS.Process): Promise<number> {
  const config = await loadConfig(options.config, process.env);
  const door = chooseDoor(config, options.door);
  const { beams: wired } = door;
  if (wired.source !== 'gpio' || !wired.b) {
    throw new ConfigurationError(
      'beams',
      wired.source,
      'two beams on GPIO lines, since others need no learning',
    );
  }
  const fail = (text: string) => {
    process.stderr.write(`${text}\n`);
    return 1;
  };
  if (await askOnce(door.journal)) return fail('The running agent holds the lines: stop it first.');
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const electrical = { ...wired, a: { line: wired.a.line }, b: { line: wired.b.line } };
  const onProblem = (problem: Error) => fail(problem.message);
  const beams = await openBeams(electrical, { resumeAfter: undefined, clock: Date.now, onProblem });
  say('Stand clear of the door.');
  const ready = (number: number) =>
    say(`Walk ${number} of ${walksNeeded}: from the street into the store, then stand clear.`);
  const walked = (walk: Parameters<typeof firstOf>[0]) => say(`  ${describe(firstOf(walk), electrical)}`);
  const { atRest, walks } = await gatherWalks(
    beams,
    walksNeeded,
    { ready, walked },
    stopOnSignal(process.env),
  );
  if (walks.length < walksNeeded) return fail('Ended before the walks were done: nothing is changed.');
  const learned = learnLines(atRest, walks);
  if ('problem' in learned) return fail(`Nothing is changed: ${learned.problem}.`);
  const right = learnedBeams({ a: wired.a, b: wired.b }, learned);
  await writeLearned(options.config, config.doors.indexOf(door), right);
  for (const line of ['a', 'b'] as const) {
    const { line: name, activeLow } = right[line];
    say(
      `beam ${line} (${line === 'a' ? 'street' : 'store'}): ${name}, broken = ${activeLow ? 'low' : 'high'}`,
    );
  }
  say(`Written to ${options.config}.`);
  return 0;
}

function describe(
  first: 'a' | 'b' | undefined,
  { a, b }: { a: { line: string }; b: { line: string } },
): string {
  if (first === undefined) return 'only one beam moved';
  return first === 'a' ? `first ${a.line}, then ${b.line}` : `first ${b.line}, then ${a.line}`;
}
