import { stopSignal } from '@visitor-counter/service/run-service';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { firstOf, gatherWalks, learnedBeams, learnLines, writeLearned } from '../beams/learn-lines.ts';
import { openBeams } from '../beams/open-beams.ts';
import type { GpioBeamsConfig, GpioLineConfig } from '../config/agent-config.ts';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { askOnce } from '../local/ask-agent.ts';
import {
  logCommand,
  restartService,
  serviceOf,
  startAfterThisProcess,
  stopService,
} from '../machine/service-state.ts';

const walksNeeded = 3;
/** After this time without all walks, the service starts again (ms). */
const walksWithin = 15 * 60_000;

/**
 * Finds swapped beams and inverted levels from three walks into the store, and writes them into the configuration. Stops the
 * package's service before, and starts it again however this command ends. Exit code 0; 1 if nothing was learned, and then
 * the file is unchanged. Throws ConfigurationError.
 */
export async function learn(options: DoorOptions, process: NodeJS.Process): Promise<number> {
  const { env } = process;
  const config = await loadConfig(options.config, env);
  const door = chooseDoor(config, options.door);
  const { beams: wired } = door;
  if (wired.source !== 'gpio' || !wired.b) {
    const expected = 'two beams on GPIO lines, since others need no learning';
    throw new ConfigurationError('beams', wired.source, expected);
  }
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const fail = (text: string) => {
    process.stderr.write(`${text}\n`);
    return 1;
  };
  const signal = AbortSignal.any([stopSignal(env), hangUp(process), AbortSignal.timeout(walksWithin)]);
  await using stack = new AsyncDisposableStack();
  if (await askOnce(door.journal)) {
    const service = await serviceOf(options.config, env);
    if (service === undefined) return fail('The running agent uses the lines: stop it first.');
    await startAfterThisProcess(service, env);
    say(`The service ${service} stops while you walk.`);
    stack.defer(async () => {
      say(`Starting the service ${service} …`);
      if (await restartService(service, env)) return say(`The service ${service} counts again.`);
      fail(`The service ${service} does not start: \`${logCommand(service)}\` shows why.`);
    });
    await stopService(service, env);
  }
  const electrical = { ...wired, a: { line: wired.a.line }, b: { line: wired.b.line } };
  const learned = await learnByWalking(electrical, { say, fail, signal });
  if (learned === undefined) return fail('Ended before the walks were done: nothing is changed.');
  if ('problem' in learned) return fail(`Nothing is changed: ${learned.problem}.`);
  const right = learnedBeams({ a: wired.a, b: wired.b }, learned);
  await writeLearned(options.config, config.doors.indexOf(door), right);
  for (const line of ['a', 'b'] as const) say(beamText(line, right[line]));
  say(`Written to ${options.config}.`);
  return 0;
}

/** Aborts when the terminal is closed, so that the service is started again. */
function hangUp(process: NodeJS.Process): AbortSignal {
  const gone = new AbortController();
  process.once('SIGHUP', () => gone.abort());
  return gone.signal;
}

/** Undefined if there were too few walks. */
async function learnByWalking(
  lines: GpioBeamsConfig & { readonly b: GpioLineConfig },
  { say, fail, signal }: { say: (text: string) => void; fail: (text: string) => void; signal: AbortSignal },
): Promise<ReturnType<typeof learnLines> | undefined> {
  const onProblem = (problem: Error) => fail(problem.message);
  const beams = await openBeams(lines, { onProblem });
  say('Stand clear of the door.');
  const ready = (number: number) =>
    say(`Walk ${number} of ${walksNeeded}: from the street into the store, then stand clear.`);
  const walked = (walk: Parameters<typeof firstOf>[0]) => say(`  ${describe(firstOf(walk), lines)}`);
  const { atRest, walks } = await gatherWalks(beams, walksNeeded, { ready, walked }, signal);
  return walks.length < walksNeeded ? undefined : learnLines(atRest, walks);
}

function beamText(line: 'a' | 'b', { line: name, activeLow }: { line: string; activeLow?: boolean }): string {
  const side = line === 'a' ? 'street' : 'store';
  return `beam ${line} (${side}): ${name}, broken = ${activeLow ? 'low' : 'high'}`;
}

function describe(
  first: 'a' | 'b' | undefined,
  { a, b }: { a: { line: string }; b: { line: string } },
): string {
  if (first === undefined) return 'only one beam moved';
  return first === 'a' ? `first ${a.line}, then ${b.line}` : `first ${b.line}, then ${a.line}`;
}
